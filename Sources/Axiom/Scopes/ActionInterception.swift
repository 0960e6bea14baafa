// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The steps before the actions of one client: its middleware, its validation, and the noting of queries.
final class ActionInterception<ActionType: Action>: Sendable {
    private let chains: ActionChains<ActionType>
    private let client: ComponentDescriptor
    private let caller: ComponentDescriptor
    private let refusals: ActionRefusals
    private let validates: Bool
    private let hasQueries: Bool
    private let caseNames: [String]

    init(
        _ chains: ActionChains<ActionType>,
        _ client: ComponentDescriptor,
        calledBy caller: ComponentDescriptor,
        _ refusals: ActionRefusals
    ) {
        self.chains = chains
        self.client = client
        self.caller = caller
        self.refusals = refusals
        validates = ActionType.validates
        hasQueries = !ActionType.queries.isEmpty
        caseNames = ActionType.caseNames
    }

    /// Runs `action`: the middleware for all clients first, then that of this client, then the validation.
    nonisolated(nonsending) func run(_ action: ActionType, _ operation: MiddlewareNext<ActionType, Void>) async throws {
        guard !chains.calls.isEmpty else { return try await runOwn(action, operation) }
        try await chains.calls.run(call(of: action)) { _ in try await self.runOwn(action, operation) }
    }

    private func call(of action: ActionType) -> ActionCall {
        ActionCall(
            client,
            calledBy: caller,
            caseIndex: action.caseIndex,
            isQuery: hasQueries && action.isQuery,
            caseNames: caseNames
        )
    }

    private nonisolated(nonsending) func runOwn(
        _ action: ActionType,
        _ operation: MiddlewareNext<ActionType, Void>
    ) async throws {
        guard !chains.actions.isEmpty else { return try await perform(action, operation) }
        try await chains.actions.run(action) { try await self.perform($0, operation) }
    }

    private nonisolated(nonsending) func perform(
        _ action: ActionType,
        _ operation: MiddlewareNext<ActionType, Void>
    ) async throws {
        if validates { try check(action) }
        guard hasQueries, action.isQuery else { return try await operation(action) }
        let query = RunningQuery(client: client, name: call(of: action).action)
        try await RunningQuery.$current.bind(query) { try await operation(action) }
    }

    private func check(_ action: ActionType) throws {
        do {
            try action.validate()
        } catch {
            ErrorTrail.noteFailure(error, from: client)
            refusals.report(error, caseIndex: action.caseIndex)
            throw error
        }
    }
}

/// Reports the actions that their validation refused, like those that a circuit breaker refuses.
struct ActionRefusals: Sendable {
    let probe: (any ClientProbe)?
    let spans: ClientSpans?
    let clock: TimeSource

    func report(_ error: any Error, caseIndex: Int) {
        probe?.refused(caseIndex: caseIndex)
        guard probe != nil, let spans else { return }
        let record = SpanRecord(
            .clientAction,
            .action(caseIndex),
            instance: spans.instance,
            start: clock.now,
            nanoseconds: 0,
            outcome: .rejected,
            error: error
        )
        spans.probe.record(record)
    }
}

/// A client behind the steps of an ``ActionInterception``. A client without such steps has no such actor before it.
///
/// Nothing runs on this actor, like on an ``ObservedClient``.
package actor InterceptedClient<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped
    private let interception: ActionInterception<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ interception: ActionInterception<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.interception = interception
    }

    package nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        try await interception.run(action) { [wrapped] in try await wrapped.process($0) }
    }

    /// The executor of the client, because an actor with one of its own is 96 bytes larger.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { wrapped.unownedExecutor }

    package nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    package nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}

extension InterceptedClient: Client where Wrapped: Client {
    package nonisolated var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    package nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }
}
