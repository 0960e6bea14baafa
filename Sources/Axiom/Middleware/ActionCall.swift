// SPDX-License-Identifier: Apache-2.0

/// An action that a context sends to a client, as a middleware for all clients sees it: its name and never its payload.
public struct ActionCall: Sendable, Hashable {
    /// The client.
    public let client: ComponentDescriptor
    /// The type of the context that calls it.
    public let caller: ComponentDescriptor
    /// The index of the action's case; see ``Action/caseIndex``.
    let caseIndex: Int
    /// Whether the action is one of the ``Action/queries`` of its type.
    public let isQuery: Bool
    private let caseNames: [String]

    /// The name of the action's case; `other` if its index is out of range.
    public var action: String {
        caseNames.indices.contains(caseIndex) ? caseNames[caseIndex] : "other"
    }

    init(
        _ client: ComponentDescriptor,
        calledBy caller: ComponentDescriptor,
        caseIndex: Int,
        isQuery: Bool,
        caseNames: [String]
    ) {
        self.client = client
        self.caller = caller
        self.caseIndex = caseIndex
        self.isQuery = isQuery
        self.caseNames = caseNames
    }
}

/// The query that a task performs.
struct RunningQuery: Sendable, Hashable {
    /// Bound only for queries. Nil in all other tasks.
    @TaskLocal static var current: RunningQuery?

    let client: ComponentDescriptor
    /// The name of its case.
    let name: String
}

extension ActionOutcome {
    /// The outcome of an action that a middleware called: rejected if the error is the refusal of a validation or of a
    /// circuit breaker.
    package init(ofCallError error: any Error) {
        switch error {
        case let error as ValidationError where error.code == .actionRefused: self = .rejected
        case is CircuitError: self = .rejected
        default: self = ActionOutcome(ofError: error)
        }
    }
}
