// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The steps before the actions of one client: its middleware and its validation.
final class ActionInterception<Wrapped: StatelessClient>: Sendable {
    typealias ActionType = Wrapped.ActionType

    /// The client behind the steps.
    let next: ObservedClient<Wrapped>
    private let chains: ActionChains<ActionType>
    private let caller: ComponentDescriptor
    private let validates: Bool
    private let caseNames: [String]

    init(
        _ chains: ActionChains<ActionType>,
        _ next: ObservedClient<Wrapped>,
        calledBy caller: ComponentDescriptor
    ) {
        self.chains = chains
        self.next = next
        self.caller = caller
        validates = ActionType.validates
        caseNames = ActionType.caseNames
    }

    /// Runs `action`: the middleware for all clients first, then that of this client, then the validation.
    ///
    /// - Throws: ``ClientError`` if a middleware for all clients skipped an action that has an answer.
    nonisolated(nonsending) func run(_ action: ActionType) async throws -> ActionType.Answer {
        guard !chains.calls.isEmpty else { return try await runOwn(action) }
        // A middleware for all clients does not see the answer, which has another type for each client.
        let answer = OneShot<ActionType.Answer>()
        try await chains.calls.run(call(of: action)) { _ in answer.settle(try await self.runOwn(action)) }
        if let answer = answer.settled ?? (() as? ActionType.Answer) { return answer }
        throw ClientError.answerSkipped(next.component, by: "a middleware for all clients")
    }

    private func call(of action: ActionType) -> ActionCall {
        ActionCall(
            next.component,
            calledBy: caller,
            caseIndex: action.caseIndex,
            caseNames: caseNames
        )
    }

    private nonisolated(nonsending) func runOwn(_ action: ActionType) async throws -> ActionType.Answer {
        guard !chains.actions.isEmpty else { return try await perform(action) }
        return try await chains.actions.run(action) { try await self.perform($0) }
    }

    private nonisolated(nonsending) func perform(_ action: ActionType) async throws -> ActionType.Answer {
        if validates { try check(action) }
        return try await next.process(action)
    }

    private func check(_ action: ActionType) throws {
        do {
            try action.validate()
        } catch {
            next.calls.refuse(action, error)
            throw error
        }
    }
}
