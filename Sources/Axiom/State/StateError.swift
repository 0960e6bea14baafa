// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A state cannot be changed or delivered: a subscription to a ``StateStream`` ended early or refused a call, or an
/// update was not made.
public struct StateError: AxiomError, Hashable {
    /// ``ErrorCode/subscriberStalled``, ``ErrorCode/staleState``, ``ErrorCode/criticalStatesLost`` or
    /// ``ErrorCode/stateInconsistent``; or the code of a mistake in the program.
    public let code: ErrorCode
    /// The name of the state type, without its module.
    package let stateType: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let recoverySuggestion: String
    /// The versions of ``ErrorCode/staleState``; nil for other codes.
    public private(set) var conflict: StateConflict?
    /// How many critical states were lost; 0 unless the code is ``ErrorCode/criticalStatesLost``.
    public private(set) var lost: UInt64 = 0

    private init(code: ErrorCode, stateType: String, message: String, recoverySuggestion: String? = nil) {
        self.code = code
        self.stateType = stateType
        self.message = message
        self.recoverySuggestion = recoverySuggestion ?? ErrorCatalog.entry(for: code)?.remedy ?? ""
    }

    /// A change would leave a state that violates an invariant of its type. If the body of ``StateStore/update(_:_:)``
    /// throws it, the state stays unchanged.
    ///
    /// - Parameter rule: How the state violates the invariant, as in `the total is negative`.
    public static func inconsistent<S: OwnedState>(_ type: S.Type, _ rule: String) -> Self {
        Self(
            code: .stateInconsistent,
            stateType: "\(type)",
            message: "The change would leave \(type) inconsistent: \(rule.clause).",
            recoverySuggestion: "Check the input. The state is unchanged."
        )
    }

    /// Whether the same operation may succeed later. False for an update that is called from inside another one.
    public var isRecoverable: Bool { code != .reentrantUpdate }

    /// The action that the catalogue suggests for the code.
    public var suggestedAction: ErrorAction { ErrorCatalog.entry(for: code)?.suggestedAction ?? .dismiss }

    static func subscriberStalled<S>(_ type: S.Type, pending: Int) -> Self {
        Self(
            code: .subscriberStalled,
            stateType: "\(type)",
            message: """
                A subscriber of \(type) did not take \(pending) critical states and the next one was dropped, so its \
                subscription ended.
                """
        )
    }

    static func concurrentIteration<S>(_ type: S.Type) -> Self {
        Self(
            code: .concurrentIteration,
            stateType: "\(type)",
            message: "next() was called on an iterator of \(type) while an earlier call on it still waits.",
            recoverySuggestion: """
                Use a separate iterator in each task: makeAsyncIterator() makes an independent subscription.
                """
        )
    }

    static func reentrantUpdate<S>(_ type: S.Type) -> Self { reentrantUpdate(of: "\(type)") }

    static func reentrantUpdate(of stateType: String) -> Self {
        Self(
            code: .reentrantUpdate,
            stateType: stateType,
            message: """
                StateStore<\(stateType)>.update was called from inside the body of another update of the same store; the \
                inner change was discarded.
                """
        )
    }

    /// A change relied on a state that is no longer the current one.
    static func stale<S>(_ type: S.Type, _ expected: StateVersion, _ actual: StateVersion) -> Self {
        var error = Self(
            code: .staleState,
            stateType: "\(type)",
            message: "The change relied on version \(expected) of \(type), but the state has version \(actual).",
            recoverySuggestion: "Read the state again and decide again. The state is unchanged."
        )
        error.conflict = StateConflict(expected: expected, actual: actual)
        return error
    }

    /// The journal no longer has critical states that a subscriber has not acknowledged.
    static func criticalStatesLost<S>(_ type: S.Type, _ count: UInt64) -> Self {
        var error = Self(
            code: .criticalStatesLost,
            stateType: "\(type)",
            message: """
                \(count) critical states of \(type) are no longer available to a subscriber that resumed: a store keeps \
                the last \(CriticalJournal<Int>.standardLimit) for a subscriber that has not acknowledged them.
                """
        )
        error.lost = count
        return error
    }
}
