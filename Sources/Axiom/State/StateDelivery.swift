// SPDX-License-Identifier: Apache-2.0

/// What a subscriber that falls behind may miss of an update.
public enum StateDelivery: Hashable, Sendable {
    /// The resulting state may be replaced by a later one before a slow subscriber has taken it. The default.
    case latest

    /// The resulting state is delivered to every subscriber, in order, whatever follows it. Up to 1,000 such states
    /// wait for one subscriber; one more ends its subscription with ``ErrorCode/subscriberStalled``.
    case critical
}
