// SPDX-License-Identifier: Apache-2.0

/// The components of an application do not fit together: one is missing or registered twice, or they form a cycle.
public struct CompositionError: AxiomError, Hashable {
    /// What is wrong.
    public let code: ErrorCode
    /// The components involved and what happened.
    public let message: String
    /// What to change.
    public let recoverySuggestion: String

    package init(_ code: ErrorCode, _ message: String, _ recoverySuggestion: String) {
        self.code = code
        self.message = message
        self.recoverySuggestion = recoverySuggestion
    }

    /// Critical: an application with a composition error cannot work.
    public var severity: ErrorSeverity { .critical }

    /// Only the developers can correct the composition.
    public var suggestedAction: ErrorAction { .contactSupport }

    /// Whether a client makes a store that it must not have, because it would change a state that another client owns.
    var isAboutStores: Bool { code == .stateOwnedTwice || code == .storeInStatelessClient }

    /// The error for a state or an action that is not a value; nil if it is one.
    ///
    /// - Parameter role: As in `the action`.
    static func checking<V>(
        value type: V.Type,
        as role: String,
        of component: @autoclosure () -> String
    ) -> CompositionError? {
        guard type is AnyObject.Type else { return nil }
        return CompositionError(
            .referenceType,
            "\(type), \(role) of \(component()), is a class, which can be changed in place.",
            "Make it a struct or an enum of values."
        )
    }

    /// Capabilities that depend on each other, with the path of the cycle.
    static func capabilityCycle(_ cycle: ComponentGraph.Cycle) -> Self {
        CompositionError(
            .capabilityCycle,
            "Capabilities depend on each other in a cycle: \(cycle).",
            "Move the shared part to a capability on which both depend."
        )
    }

    /// Contexts that resolve each other, with the path of the cycle.
    static func contextCycle(_ cycle: ComponentGraph.Cycle) -> Self {
        CompositionError(
            .contextCycle,
            "Contexts resolve each other in a cycle: \(cycle).",
            "Break the cycle, or register it with recursive: true."
        )
    }

    /// The error for a state or an action that contains a class instance; nil if it consists of values.
    ///
    /// - Parameter role: As in `the action`.
    static func checking<V>(
        contentsOf value: V.Type,
        as role: String,
        of component: @autoclosure () -> String
    ) -> CompositionError? {
        guard let (path, type) = TypeContents.reference(in: value) else { return nil }
        return CompositionError(
            .referenceInState,
            "\(value), \(role) of \(component()), contains a reference: \(path) is a \(type).",
            "Store values only, or conform \(type) to ValueSemantics if it behaves as a value."
        )
    }

    /// One error that contains all mistakes; nil if there are none.
    package static func combining(_ mistakes: [CompositionError]) -> CompositionError? {
        guard mistakes.count > 1 else { return mistakes.first }
        var known: Set<String> = []
        let suggestions = mistakes.map(\.recoverySuggestion).filter { known.insert($0).inserted }
        return CompositionError(
            .severalMistakes,
            "\(mistakes.count) registrations are wrong. " + mistakes.map(\.message).joined(separator: " "),
            suggestions.joined(separator: " ")
        )
    }
}
