// SPDX-License-Identifier: Apache-2.0

/// Whether a slow subscriber may miss the result of an update.
public enum StateDelivery: Hashable, Sendable {
    /// A later state may replace the resulting state before a slow subscriber has taken it. The default.
    case latest

    /// The resulting state is delivered to every subscriber, in order, regardless of later updates. Up to 1,000 such
    /// states wait for one subscriber; one more ends its subscription with ``ErrorCode/subscriberStalled``.
    case critical
}
