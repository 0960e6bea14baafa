// SPDX-License-Identifier: Apache-2.0

/// How an action ended.
public enum ActionOutcome: String, Sendable, Hashable, CaseIterable {
    /// It did what was asked.
    case success
    /// It threw.
    case failure
    /// It was called off before it could end: neither success nor failure.
    case cancelled
    /// It was refused before it ran.
    case rejected

    /// The outcome of an action that threw `error`: cancelled for `CancellationError`, failure for any other.
    ///
    /// The error alone decides, so that everyone who sees it counts the same, whenever they look. A library that
    /// reports cancellation by an error of its own is translated where it is used: in a capability.
    public init(ofError error: any Error) {
        self = error is CancellationError ? .cancelled : .failure
    }
}
