// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What is done around the actions of one client besides recording them. A client without any of it has no policy.
struct CallPolicy<ActionType: Action>: Sendable {
    /// Nil if the client is not a ``ScheduledClient``.
    let scheduler: ActionScheduler<ActionType>?
    /// Nil without a watchdog.
    let watch: CallWatch?

    init?(_ scheduler: ActionScheduler<ActionType>?, _ watch: CallWatch?) {
        guard scheduler != nil || watch != nil else { return nil }
        self.scheduler = scheduler
        self.watch = watch
    }

    /// Runs an action on the client when its place allows it.
    nonisolated(nonsending) func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        _ place: ActionScheduler<ActionType>.Place?,
        on client: C
    ) async throws -> ActionType.Answer {
        guard let scheduler, let place else { return try await runNow(action, on: client) }
        return try await scheduler.run(place) { try await runNow(action, on: client) }
    }

    private nonisolated(nonsending) func runNow<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: C
    ) async throws -> ActionType.Answer {
        guard let watch else { return try await client.process(action) }
        return try await watch.run(action.caseIndex) { try await client.process(action) }
    }
}

extension ClientCalls {
    /// Runs an action as its policy says. Its wait for the actor is not timed, because it may wait for other actions.
    nonisolated(nonsending) func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        _ place: ActionScheduler<ActionType>.Place?,
        by policy: CallPolicy<ActionType>,
        on client: C,
        _ passage: inout ClientPassage
    ) async throws -> ActionType.Answer {
        defer { passage.end = clock.now }
        if faults.isSet { try await passFaults(place, policy) }
        return try await policy.run(action, place, on: client)
    }

    /// Applies the injected faults. An action that fails by one gives up its place, so that later actions can run.
    private nonisolated(nonsending) func passFaults(
        _ place: ActionScheduler<ActionType>.Place?,
        _ policy: CallPolicy<ActionType>
    ) async throws {
        do {
            try await faults.pass(component, clock: clock)
        } catch {
            if let place { policy.scheduler?.leave(place) }
            throw error
        }
    }
}

extension ObservedClient {
    /// Performs an action of a client that has a policy. Apart, so that other clients pay nothing for it.
    nonisolated(nonsending) func process(
        _ action: Wrapped.ActionType,
        by policy: CallPolicy<Wrapped.ActionType>
    ) async throws -> Wrapped.ActionType.Answer {
        let place: ActionScheduler<Wrapped.ActionType>.Place?
        do {
            place = try policy.scheduler?.enter(action)
        } catch {
            calls.refuse(action, error)
            throw error
        }
        guard isObserved else { return try await processUnobserved(action, place, by: policy) }
        var call: ClientCall
        do {
            call = try calls.begin(action)
        } catch {
            if let place { policy.scheduler?.leave(place) }
            throw error
        }
        var (span, context) = (OpenSpan?.none, OperationContext?.none)
        if calls.bindsSpans { (span, context) = calls.beginSpan(call) }
        var passage = ClientPassage(call)
        defer { calls.end(&call, passage, span) }
        do {
            guard let context else { return try await calls.run(action, place, by: policy, on: wrapped, &passage) }
            return try await calls.bind(context) {
                try await calls.run(action, place, by: policy, on: wrapped, &passage)
            }
        } catch {
            passage.error = error
            throw error
        }
    }

    private nonisolated(nonsending) func processUnobserved(
        _ action: Wrapped.ActionType,
        _ place: ActionScheduler<Wrapped.ActionType>.Place?,
        by policy: CallPolicy<Wrapped.ActionType>
    ) async throws -> Wrapped.ActionType.Answer {
        do {
            return try await policy.run(action, place, on: wrapped)
        } catch {
            ErrorTrail.noteFailure(error, from: component)
            throw error
        }
    }
}
