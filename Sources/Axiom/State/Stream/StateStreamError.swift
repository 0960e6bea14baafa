// SPDX-License-Identifier: Apache-2.0

/// Why a subscription to a ``StateStream`` ended early, or refused a call.
public struct StateStreamError: AxiomError, Hashable {
    /// ``ErrorCode/subscriberStalled``, ``ErrorCode/concurrentIteration`` or ``ErrorCode/reentrantUpdate``.
    public let code: ErrorCode
    /// The name of the state type whose stream it was, without its module.
    public let stateType: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let recoverySuggestion: String

    static func subscriberStalled<S>(_ type: S.Type, pending: Int) -> Self {
        Self(
            code: .subscriberStalled,
            stateType: "\(type)",
            message: """
                A subscriber of \(type) left \(pending) critical states untaken and the next one was dropped, so its \
                subscription ended.
                """,
            recoverySuggestion: """
                Take states faster (nextBatch() takes all that are pending), or mark fewer updates as .critical.
                """
        )
    }

    static func concurrentIteration<S>(_ type: S.Type) -> Self {
        Self(
            code: .concurrentIteration,
            stateType: "\(type)",
            message: """
                next() or nextBatch() was called on an iterator of \(type) while an earlier call on it still waits.
                """,
            recoverySuggestion: """
                Give each task an iterator of its own: makeAsyncIterator() makes an independent subscription.
                """
        )
    }

    static func reentrantUpdate<S>(_ type: S.Type) -> Self {
        Self(
            code: .reentrantUpdate,
            stateType: "\(type)",
            message: """
                StateStore<\(type)>.update was called from inside the body of another update of the same store; the \
                inner change was discarded.
                """,
            recoverySuggestion: """
                Make the whole change in one body, or call the second update after the first has returned.
                """
        )
    }
}
