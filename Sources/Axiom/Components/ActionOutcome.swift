// SPDX-License-Identifier: Apache-2.0

/// How an action ended.
public enum ActionOutcome: String, Sendable, Hashable, CaseIterable {
    /// The action succeeded.
    case success
    /// The action threw an error.
    case failure
    /// The action was cancelled before it ended. This is neither success nor failure.
    case cancelled
    /// The action was refused before it ran.
    case rejected

    /// The outcome of an action that threw `error`: cancelled for a `CancellationError`, failure for any other error.
    ///
    /// Only the error decides, so all observers count it the same way at any time. If a library reports cancellation
    /// with an error of its own, translate that error in the capability that uses the library.
    public init(ofError error: any Error) {
        self = error is CancellationError ? .cancelled : .failure
    }
}
