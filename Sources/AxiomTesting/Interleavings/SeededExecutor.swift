// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch

/// Runs one job at a time, on the main actor's queue, in the order of a ``ScheduleMachine``.
///
/// The jobs of the main actor go to the same serial queue and never run at the same time as a job of this executor. A
/// turn runs jobs until the machine chooses the main actor. The turn then ends, and the next one is queued behind
/// everything that waits for the main actor. So the schedule needs neither a hook into the runtime nor a main actor of
/// its own, and main actor jobs of other tests change nothing.
final class SeededExecutor: InheritedExecutor {
    /// Why the jobs were given up.
    struct Halt: Sendable {
        enum Reason: Sendable {
            /// Nothing could run for the limit, and the body had not ended.
            case nothingRuns
            /// The allowed number of steps was not enough.
            case tooManySteps
        }

        let reason: Reason
        /// What was known to wait.
        let waits: [String]
    }

    fileprivate struct State: Sendable {
        var machine: ScheduleMachine<UnownedJob>
        /// Whether a turn is queued or runs.
        var hasTurn = false
        /// The number of turns in a row that found nothing to run.
        var idleTurns = 0
        /// The number of jobs so far, to see whether one came during the limit.
        var arrivals = 0
        /// The number of jobs when the limit expired last.
        var arrivalsAtExpiry: Int?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var remainingSteps: Int
        var halt: Halt?
        var bodyHasEnded = false
        /// Whether the steps after a halt were not enough either. No job runs any more.
        var isAbandoned = false
    }

    /// So many turns of the main actor in a row have to pass without a job. One turn is enough for what waits for the main
    /// actor; the others are for the jobs which that begins, and so on.
    private static let idleTurns = 32
    /// After a halt the tasks are cancelled and may take so many steps to end.
    private static let stepsToEnd = 10_000

    /// Guards everything. Jobs run and continuations are resumed outside of the lock.
    private let state: Lock<State>
    private let waits = OpenWaits()
    private let count = InheritedExecutorCount()
    private let limit: Duration
    private let onHalt: @Sendable (Halt) -> Void

    /// - Parameters:
    ///   - limit: How long nothing may run while the body waits.
    ///   - steps: The greatest number of jobs and turns of the main actor.
    ///   - onHalt: Called at most once, before the end of the tasks. It should cancel them.
    init(seed: UInt64, limit: Duration, steps: Int, onHalt: @escaping @Sendable (Halt) -> Void) {
        state = Lock(State(machine: ScheduleMachine(seed: seed), remainingSteps: steps))
        self.limit = limit
        self.onHalt = onHalt
    }

    var schedule: Schedule { state.withLock { Schedule(steps: $0.machine.steps, tasks: $0.machine.taskCount) } }
    var halt: Halt? { state.withLock { $0.halt } }

    func enqueue(_ job: consuming ExecutorJob) {
        let task = Self.task(of: job.description)
        let job = UnownedJob(job)
        let needsTurn = state.withLock { state in
            state.machine.add(job, of: task)
            state.idleTurns = 0
            state.arrivals += 1
            return state.claimTurn()
        }
        if needsTurn { queueTurn() }
    }

    func waitBegan(_ description: @escaping @Sendable () -> String?) { waits.add(description) }

    /// Waits until no job can run.
    func quiet() async {
        await withCheckedContinuation { continuation in
            let (isAbandoned, needsTurn) = state.withLock { state in
                if state.isAbandoned { return (true, false) }
                state.waiting.append(continuation)
                state.idleTurns = 0
                return (false, state.claimTurn())
            }
            if isAbandoned { continuation.resume() }
            if needsTurn { queueTurn() }
        }
    }

    /// The body has ended: from now on, nothing has to run.
    func bodyEnded() { state.withLock { $0.bodyHasEnded = true } }

    /// The identifier in a text such as "ExecutorJob(id: 12)", the only public way to it; nil for the job of an actor.
    private static func task(of description: String) -> UInt64? {
        UInt64(description.drop { !$0.isNumber }.prefix { $0.isNumber })
    }

    // MARK: - Turns

    private func queueTurn() { DispatchQueue.main.async { self.takeTurn() } }

    private func takeTurn() {
        while true {
            switch state.withLock({ $0.choose() }) {
            case .job(let job)?: job.runSynchronously(on: asUnownedTaskExecutor())
            case .mainActor?: return queueTurn()
            case .nothing?: return idle()
            case nil: if !end(because: .tooManySteps) { return abandon() }
            }
        }
    }

    private func idle() {
        typealias Quiet = (isQuiet: Bool, waiting: [CheckedContinuation<Void, Never>], arrivals: Int, hasExpired: Bool)
        let (isQuiet, waiting, arrivals, hasExpired) = state.withLock { state -> Quiet in
            state.idleTurns += 1
            guard state.idleTurns >= Self.idleTurns else { return (false, [], 0, false) }
            state.hasTurn = false
            defer { state.waiting = [] }
            return (true, state.waiting, state.arrivals, state.arrivals == state.arrivalsAtExpiry)
        }
        guard isQuiet else { return queueTurn() }
        for waiter in waiting { waiter.resume() }
        guard waiting.isEmpty, state.withLock({ !$0.bodyHasEnded && $0.halt == nil }) else { return }
        if hasExpired { _ = end(because: .nothingRuns) } else { watch(arrivals) }
    }

    /// Ends the run if no job comes within the limit and some turns after it. The main actor may have been occupied during
    /// the limit, and what the body waits for may wait for the main actor.
    private func watch(_ arrivals: Int) {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) * 1e-18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            let needsTurn = state.withLock { state in
                guard !state.bodyHasEnded, state.halt == nil, state.arrivals == arrivals else { return false }
                state.arrivalsAtExpiry = arrivals
                state.idleTurns = 0
                return state.claimTurn()
            }
            if needsTurn { queueTurn() }
        }
    }

    /// Allows the steps that the cancelled tasks take. Returns false if that has happened before.
    private func end(because reason: Halt.Reason) -> Bool {
        let halt = Halt(reason: reason, waits: waits.descriptions)
        let isFirst = state.withLock { state in
            guard state.halt == nil else { return false }
            (state.halt, state.remainingSteps) = (halt, Self.stepsToEnd)
            return true
        }
        if isFirst { onHalt(halt) }
        return isFirst
    }

    /// Keeps the turn for ever: what can run is abandoned.
    private func abandon() {
        let waiting = state.withLock { state in
            state.isAbandoned = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}

extension SeededExecutor.State {
    /// Whether the caller has to queue a turn.
    fileprivate mutating func claimTurn() -> Bool {
        defer { hasTurn = true }
        return !hasTurn
    }

    /// The next choice; nil if no step is left.
    fileprivate mutating func choose() -> ScheduleMachine<UnownedJob>.Choice? {
        guard remainingSteps > 0 else { return nil }
        let choice = machine.next()
        if case .nothing = choice { return choice }
        remainingSteps -= 1
        return choice
    }
}

/// The waits of the tasks of one executor: operations of the framework that have not ended, and sleeps of manual times.
final class OpenWaits: Sendable {
    private typealias Wait = @Sendable () -> String?

    /// Waits that are over are removed when there are at least so many.
    private static let pruneLimit = 64

    /// In the order in which they began. The descriptions are called outside of the lock.
    private let waits = Lock<[Wait]>([])

    /// Adds a wait.
    ///
    /// - Parameter description: Returns nil when the wait is over.
    func add(_ description: @escaping @Sendable () -> String?) {
        let old = waits.withLock { waits -> [Wait] in
            waits.append(description)
            guard waits.count >= Self.pruneLimit, waits.count.nonzeroBitCount == 1 else { return [] }
            defer { waits = [] }
            return waits
        }
        guard !old.isEmpty else { return }
        let lasting = old.filter { $0() != nil }
        waits.withLock { $0 = lasting + $0 }
    }

    /// The waits that are not over.
    var descriptions: [String] { waits.withLock { $0 }.compactMap { $0() } }
}
