// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Runs at most one piece of work for each key at a time: a caller that wants the value of a key for which work is under
/// way joins that work and shares its value or its error.
///
/// ```swift
/// actor ProductClient: Client, Component {
///     private let loads = SingleFlight<Product.ID, Product>("ProductClient")
///
///     func process(_ action: ProductAction) async throws {
///         guard case .load(let id) = action else { return }
///         let product = try await loads.value(for: id) { [network] in
///             try await network.call { try await $0.product(id) }
///         }
///         store.update { $0.products[id] = product }
///     }
/// }
/// ```
/// Each caller can be cancelled alone and then gets a `CancellationError` at once. The work runs in a task of its own:
/// it is cancelled when the last caller has left, and a later caller then begins other work. The task has the priority
/// of the caller that began it, and is escalated to the highest priority of the callers that joined. Its spans have the
/// operation of the first caller as parent.
///
/// Nothing is cached: when the work has ended, the next caller begins it again.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Answer = OneShot<Result<Value, any Error>>
    private typealias Machine = SingleFlightMachine<Key, Answer, Work>

    private struct Work: Sendable {
        let turn: TurnID
        /// Nil until the caller that begins the flight has made it.
        var task: Task<Void, Never>?
        /// The highest priority of a caller.
        var priority: TaskPriority
    }

    private let subject: TurnSubject
    /// Whether the work goes on when the last caller has left. Callers that have left then stay in the machine until the
    /// end of the work: settling them again has no effect.
    private let outlivesCallers: Bool
    /// Guards the flights. Tasks are made, cancelled and escalated and callers are resumed outside of the lock.
    private let machine = Lock(Machine())

    /// Makes one without flights.
    ///
    /// - Parameter name: The name of the component that owns it, for messages.
    public convenience init(_ name: String) {
        self.init(of: ComponentDescriptor(kind: .client, name: name))
    }

    /// - Parameter outlivesCallers: Whether the work goes on when the last caller has left, so that a later caller joins it.
    init(of component: ComponentDescriptor, outlivesCallers: Bool = false) {
        subject = TurnSubject(.flight, of: component)
        self.outlivesCallers = outlivesCallers
    }

    /// The number of keys for which work is under way.
    package var count: Int { machine.withLock { $0.count } }

    /// The number of callers that wait for values.
    var callerCount: Int { machine.withLock { $0.callerCount } }

    /// Joins the work for `key`, or begins it.
    ///
    /// - Parameter work: Makes the value. Runs only if no work for the key is under way.
    /// - Throws: The error of the work; `CancellationError` as soon as the calling task is cancelled; ``LifecycleError``
    ///   with the code ``ErrorCode/waitsForItself`` if the caller is part of the work for which it would wait.
    public nonisolated(nonsending) func value(
        for key: Key,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (answer, priority) = (Answer(), Task.currentPriority)
        let (ticket, flight) = machine.withLock { machine in
            machine.enter(key, answer) { Work(turn: beginTurn(), task: nil, priority: priority) }
        }
        if ticket.begins {
            start(ticket, flight.turn, work)
        } else if priority > flight.priority {
            escalate(ticket, to: priority)
        }
        defer { if !outlivesCallers { leave(ticket) } }
        return try await wait(for: answer, ticket, flight.turn).get()
    }

    /// Begins the turn of a flight. Not within the turn of the first caller, which does not wait after it has left.
    private func beginTurn() -> TurnID {
        Turns.$current.withValue(nil) { Turns.begin(subject, clock: .live) }
    }

    private func start(_ ticket: Machine.Ticket, _ turn: TurnID, _ work: @escaping @Sendable () async throws -> Value) {
        let task = Task(executorPreference: inheritedExecutor) { [self] in
            let result: Result<Value, any Error>
            do {
                result = .success(try await Turns.run(turn, work))
            } catch {
                result = .failure(error)
            }
            for caller in machine.withLock({ $0.land(ticket) }) { caller.settle(result) }
        }
        let started = Task.currentPriority
        let wanted = machine.withLock { machine in
            machine.change(ticket) { work in
                work.task = task
                return work.priority
            }
        }
        if let wanted, wanted > started { task.raise(to: wanted) }
    }

    private nonisolated(nonsending) func wait(
        for answer: Answer,
        _ ticket: Machine.Ticket,
        _ turn: TurnID
    ) async throws -> Result<Value, any Error> {
        var result = Result<Value, any Error>.failure(CancellationError())
        do {
            try await Turns.wait(for: turn) {
                result = await withEscalation {
                    // The handler does not see an escalation that came before it.
                    escalate(ticket, to: Task.currentPriority)
                    return await answer.value(ifCancelled: .failure(CancellationError()))
                } onEscalation: { priority in
                    self.escalate(ticket, to: priority)
                }
            }
        } catch {
            throw LifecycleError.waitsForItself(subject.component, path: error.description)
        }
        return result
    }

    private func escalate(_ ticket: Machine.Ticket, to priority: TaskPriority) {
        let task = machine.withLock { machine in
            machine.change(ticket) { work -> Task<Void, Never>? in
                guard priority > work.priority else { return nil }
                work.priority = priority
                return work.task
            }
        }
        (task ?? nil)?.raise(to: priority)
    }

    private func leave(_ ticket: Machine.Ticket) {
        machine.withLock { $0.leave(ticket) }?.task?.cancel()
    }
}

extension Task {
    /// Escalates the priority of the task, if the system supports it.
    fileprivate func raise(to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { escalatePriority(to: priority) }
    }
}

/// Runs `body`, and calls `escalated` if the task's priority rises while it runs, if the system supports it.
private nonisolated(nonsending) func withEscalation<R: Sendable>(
    _ body: () async -> R,
    onEscalation escalated: @escaping @Sendable (TaskPriority) -> Void
) async -> R {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        await withTaskPriorityEscalationHandler {
            await body()
        } onPriorityEscalated: { _, priority in
            escalated(priority)
        }
    } else {
        await body()
    }
}
