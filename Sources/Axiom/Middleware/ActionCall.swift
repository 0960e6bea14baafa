// SPDX-License-Identifier: Apache-2.0

/// An action that a context sends to a client, as a middleware for all clients sees it: its name and never its payload.
public struct ActionCall: Sendable, Hashable {
    /// The client.
    public let client: ComponentDescriptor
    /// The type of the context that calls it.
    public let caller: ComponentDescriptor
    /// The index of the action's case; see ``Action/caseIndex``.
    let caseIndex: Int
    private let caseNames: [String]

    /// The name of the action's case; `other` if its index is out of range.
    public var action: String {
        caseNames.indices.contains(caseIndex) ? caseNames[caseIndex] : "other"
    }

    init(
        _ client: ComponentDescriptor,
        calledBy caller: ComponentDescriptor,
        caseIndex: Int,
        caseNames: [String]
    ) {
        self.client = client
        self.caller = caller
        self.caseIndex = caseIndex
        self.caseNames = caseNames
    }
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
