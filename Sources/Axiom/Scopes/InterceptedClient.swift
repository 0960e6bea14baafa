// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The client that contexts hold if its actions pass middleware or a validation before an ``ObservedClient`` processes
/// them. Nothing runs on this actor, like on an ``ObservedClient``.
///
/// Its speed depends on few stack frames for each action and on no look-up of metadata. Therefore the types of the
/// action and the answer are parameters of their own, each step is the last call of the function before it, and the
/// first middleware is called directly.
actor InterceptedClient<Wrapped: StatelessClient, ActionType: Action, Answer>: StatelessClient
where Wrapped.ActionType == ActionType, ActionType.Answer == Answer {
    /// The client behind the steps.
    private let next: ObservedClient<Wrapped>
    private let validates: Bool
    /// The middleware for all clients, if it returns what the action answers: nothing.
    private let calls: MiddlewareLink<ActionCall, Answer>?
    /// The middleware for all clients, which does not see the answer.
    private let blindCalls: MiddlewareLink<ActionCall, Void>?
    private let actions: MiddlewareLink<ActionType, Answer>?
    private let facts: CallFacts

    init(_ chains: ActionChains<ActionType>, _ next: ObservedClient<Wrapped>, calledBy caller: ComponentDescriptor) {
        self.next = next
        validates = ActionType.validates
        let calls = chains.calls as? MiddlewareChain<ActionCall, Answer>
        self.calls = calls?.first
        blindCalls = calls == nil ? chains.calls.first : nil
        actions = chains.actions.first
        facts = CallFacts(client: next.component, caller: caller, caseNames: ActionType.caseNames)
    }

    nonisolated var wrapped: Wrapped { next.wrapped }
    nonisolated var unownedExecutor: UnownedSerialExecutor { next.unownedExecutor }

    /// Processes `action` after its steps: the middleware for all clients first, then that of this client, then the
    /// validation.
    ///
    /// - Throws: ``ClientError`` if a middleware for all clients skipped an action that has an answer.
    @inline(__always)
    nonisolated(nonsending) func process(_ action: ActionType) async throws -> Answer {
        if let calls {
            return try await calls.middleware.process(ActionCall(facts, action.caseIndex)) { call in
                guard let second = calls.next else { return try await processOwn(action) }
                return try await second.run(call) { _ in try await processOwn(action) }
            }
        }
        if let blindCalls { return try await process(action, in: blindCalls) }
        return try await processOwn(action)
    }

    /// Keeps the first answer beside the middleware for all clients, which cannot pass it on.
    private nonisolated(nonsending) func process(
        _ action: ActionType,
        in calls: MiddlewareLink<ActionCall, Void>
    ) async throws -> Answer {
        let answer = OneShot<Answer>()
        try await calls.run(ActionCall(facts, action.caseIndex)) { _ in answer.settle(try await processOwn(action)) }
        if let answer = answer.settled { return answer }
        throw ClientError.answerSkipped(next.component, by: "a middleware for all clients")
    }

    @inline(__always)
    private nonisolated(nonsending) func processOwn(_ action: ActionType) async throws -> Answer {
        guard let actions else {
            if validates { try check(action) }
            return try await next.process(action)
        }
        return try await actions.run(action) {
            if validates { try check($0) }
            return try await next.process($0)
        }
    }

    @inline(__always)
    private nonisolated func check(_ action: ActionType) throws {
        guard let refusal = action.refusal else { return }
        next.calls.refuse(action, refusal)
        throw refusal
    }
}

extension InterceptedClient: WrappingClient {}
extension InterceptedClient: Client where Wrapped: Client {}

extension Action {
    /// The error of the validation; nil if the action is valid. Apart, because in an asynchronous function the error,
    /// whose size is not known, would be allocated for each action.
    @inline(never)
    fileprivate var refusal: (any Error)? {
        do {
            try validate()
            return nil
        } catch {
            return error
        }
    }
}
