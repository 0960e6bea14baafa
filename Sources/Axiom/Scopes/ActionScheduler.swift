// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Carries out the ``ActionConcurrency`` of one client's actions, for the calls of all contexts together.
final class ActionScheduler<ActionType: Action>: Sendable {
    /// A call that was not refused. It has to be passed to ``run(_:_:)`` or to ``leave(_:)``, once.
    enum Place: Sendable {
        case interleaved
        case shared(ActionSchedule.Key)
        case serial(Call)
        case latest(Call)
    }

    struct Call: Sendable {
        let id: ActionSchedule.CallID
        /// Nil if the call starts at once.
        let verdict: OneShot<Verdict>?
        /// The turn of a call in a serial queue.
        var turn: TurnID?
        /// How long a debounced call waits at least.
        var quietTime: Duration?
    }

    enum Verdict: Sendable {
        case starts
        case superseded
        case cancelled
    }

    struct State {
        var schedule = ActionSchedule()
        var waiting: [ActionSchedule.CallID: OneShot<Verdict>] = [:]
        /// The calls in serial queues, running ones included.
        var turns: [ActionSchedule.CallID: TurnID] = [:]
        /// The running actions that a newer one cancels.
        var tasks: [ActionSchedule.CallID: Task<ActionType.Answer, any Error>] = [:]
        /// The calls that were cancelled before their task was known.
        var cancelled: Set<ActionSchedule.CallID> = []

        mutating func wait(_ id: ActionSchedule.CallID) -> OneShot<Verdict> {
            let verdict = OneShot<Verdict>()
            waiting[id] = verdict
            return verdict
        }

        /// The task of a running call that is to be cancelled; nil if it has none yet, which is noted.
        mutating func task(of id: ActionSchedule.CallID?) -> Task<ActionType.Answer, any Error>? {
            guard let id else { return nil }
            if let task = tasks[id] { return task }
            cancelled.insert(id)
            return nil
        }
    }

    let component: ComponentDescriptor
    let port: InstrumentationPort
    private let rule: @Sendable (ActionType) -> ActionConcurrency
    private let key: @Sendable (ActionType) -> String?
    let flights: SingleFlight<ActionSchedule.Key, ActionType.Answer>
    /// Waiting calls are resumed and tasks are cancelled outside of the lock.
    let state = Lock(State())

    /// Makes the scheduler of a client; nil if the client is not a ``ScheduledClient``.
    static func make<C: StatelessClient<ActionType>>(
        for client: C,
        _ component: ComponentDescriptor,
        _ port: InstrumentationPort
    ) -> ActionScheduler? {
        (client as? any ScheduledClient).flatMap { open($0, component, port) }
    }

    /// The closures have the same types under both names of the action's type, so the casts succeed.
    private static func open<S: ScheduledClient>(
        _ client: S,
        _ component: ComponentDescriptor,
        _ port: InstrumentationPort
    ) -> ActionScheduler? {
        let rule: @Sendable (S.ActionType) -> ActionConcurrency = { client.concurrency(of: $0) }
        let key: @Sendable (S.ActionType) -> String? = { client.concurrencyKey(of: $0) }
        guard let rule = rule as? @Sendable (ActionType) -> ActionConcurrency,
            let key = key as? @Sendable (ActionType) -> String?
        else { return nil }
        return ActionScheduler(component, port, rule, key)
    }

    private init(
        _ component: ComponentDescriptor,
        _ port: InstrumentationPort,
        _ rule: @escaping @Sendable (ActionType) -> ActionConcurrency,
        _ key: @escaping @Sendable (ActionType) -> String?
    ) {
        self.component = component
        self.port = port
        self.rule = rule
        self.key = key
        flights = SingleFlight(of: component)
    }

    /// The number of calls that run or wait under a rule other than interleaved.
    var count: Int { state.withLock { $0.schedule.count } + flights.count }

    // MARK: - Arrival

    /// Decides about a call.
    ///
    /// - Throws: ``ClientError`` with the code ``ErrorCode/actionQueueFull``; ``LifecycleError`` if the action would
    ///   wait for the caller.
    func enter(_ action: ActionType) throws -> Place {
        let rule = rule(action)
        if rule == .interleaved { return .interleaved }
        let key = key(action).map(ActionSchedule.Key.text) ?? .action(action.caseIndex)
        switch rule {
        case .interleaved: return .interleaved
        case .first: return .shared(key)
        case .serial(let limit): return .serial(try queue(action, key, limit: limit))
        case .latest: return .latest(arrive(key, .latest))
        case .debounced(let duration):
            var call = arrive(key, .debounced)
            call.quietTime = duration
            return .latest(call)
        }
    }

    private func arrive(_ key: ActionSchedule.Key, _ rule: ActionSchedule.Rule) -> Call {
        let (call, superseded, task) = state.withLock { state in
            let (id, arrival, effects) = state.schedule.arrive(key, rule)
            let superseded = effects.superseded.compactMap { state.waiting.removeValue(forKey: $0) }
            let call = Call(id: id, verdict: arrival == .starts ? nil : state.wait(id))
            return (call, superseded, state.task(of: effects.cancelled))
        }
        for waiter in superseded { waiter.settle(.superseded) }
        task?.cancel()
        return call
    }

    private func queue(_ action: ActionType, _ key: ActionSchedule.Key, limit: Int) throws -> Call {
        let call: Call?
        do {
            call = try state.withLock { state throws(WaitCycle) in
                let (id, arrival, _) = state.schedule.arrive(key, .serial(limit: limit))
                return try place(id, arrival, &state)
            }
        } catch {
            port.reportDeadlock(of: component)
            throw LifecycleError.waitsForItself(component, path: error.description)
        }
        if let call { return call }
        let (names, index) = (ActionType.caseNames, action.caseIndex)
        throw ClientError.queueFull(
            component,
            action: names.indices.contains(index) ? names[index] : "other",
            limit: limit
        )
    }

    /// Begins the turn of a call that has arrived in a serial queue; returns nil if the call was refused.
    private func place(
        _ id: ActionSchedule.CallID,
        _ arrival: ActionSchedule.Arrival,
        _ state: inout State
    ) throws(WaitCycle) -> Call? {
        do {
            switch arrival {
            case .refused: return nil
            case .starts: state.turns[id] = try beginTurn(after: nil)
            case .waits(let ahead): state.turns[id] = try beginTurn(after: ahead.flatMap { state.turns[$0] })
            }
        } catch {
            // The last of the queue, so no other call is affected.
            _ = state.schedule.end(id)
            throw error
        }
        return Call(id: id, verdict: arrival == .starts ? nil : state.wait(id), turn: state.turns[id])
    }

    private func beginTurn(after other: TurnID?) throws(WaitCycle) -> TurnID {
        let subject = TurnSubject(.action, of: component)
        return try Turns.begin(subject, after: other.map { [$0] } ?? [], clock: port.clock)
    }
}
