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
    nonisolated(nonsending) func run(_ action: ActionType) async throws {
        guard !chains.calls.isEmpty else { return try await runOwn(action) }
        try await chains.calls.run(call(of: action)) { _ in try await self.runOwn(action) }
    }

    private func call(of action: ActionType) -> ActionCall {
        ActionCall(
            next.component,
            calledBy: caller,
            caseIndex: action.caseIndex,
            caseNames: caseNames
        )
    }

    private nonisolated(nonsending) func runOwn(_ action: ActionType) async throws {
        guard !chains.actions.isEmpty else { return try await perform(action) }
        try await chains.actions.run(action) { try await self.perform($0) }
    }

    private nonisolated(nonsending) func perform(_ action: ActionType) async throws {
        if validates { try check(action) }
        try await next.process(action)
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
