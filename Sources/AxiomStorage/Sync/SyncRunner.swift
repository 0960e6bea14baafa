// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience
internal import Foundation

/// Carries out the decisions of a ``SyncMachine``: sends the changes of an outbox, and stores what became of them.
actor SyncRunner {
    /// What an engine was made of.
    struct Parts: Sendable {
        let outbox: Outbox
        let connection: SyncConnection
        let breaker: CircuitBreaker
        /// Whether the breaker belongs to the engine alone, so that it may reset it.
        let ownsBreaker: Bool
        let timeout: Timeout
        let signals: SyncSignals
        let handlers: Handlers
    }

    /// The code of the application.
    struct Handlers: Sendable {
        let report: @Sendable (any Error) -> Void
        let send: @Sendable (PendingChange) async throws -> SyncAnswer
        let resolve: @Sendable (PendingChange, Data) async throws -> ConflictResolution
    }

    let parts: Parts
    var machine: SyncMachine
    /// Not the generator of the system: the thread sanitizer crashes on access to a value without size.
    var random = SeededGenerator(seed: .random(in: .min ... .max))
    /// The attempts under way.
    var sends: [UUID: Task<Void, Never>] = [:]
    var idleWaiters: [OneShot<Bool>] = []
    /// Wakes ``run()`` at an instant.
    private var alarm: (at: Instant, alarm: Alarm)?
    /// Wakes the present run. Buffers one element for any number of reasons to look for changes.
    private nonisolated let waker = Lock<(continuation: AsyncStream<Void>.Continuation?, count: Int)>((nil, 0))
    /// How many wakes ``pump()`` has taken into account, and whether it runs; for ``isIdle``.
    private var pumped = (count: 0, isRunning: false)

    var outbox: Outbox { parts.outbox }
    var clock: TimeSource { parts.outbox.clock }

    init(_ parts: Parts, _ machine: SyncMachine) {
        self.parts = parts
        self.machine = machine
    }

    deinit { alarm?.alarm.cancel() }

    var isOnline: Bool { machine.isOnline }

    /// Looks for changes to send as soon as possible.
    nonisolated func wake() {
        let continuation = waker.withLock { waker in
            waker.count += 1
            return waker.continuation
        }
        continuation?.yield()
    }

    /// Whether there is nothing to do before time passes or something happens.
    var isIdle: Bool {
        sends.isEmpty && !pumped.isRunning && (!machine.isRunning || pumped.count == waker.withLock { $0.count })
    }

    /// Sends changes until the task is cancelled.
    func run() async {
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        waker.withLock { $0.continuation = continuation }
        machine.start(at: clock.now)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.parts.connection.follow { await self.connected($0) } }
            group.addTask { for await _ in self.parts.outbox.publisher.updates { self.wake() } }
            for await _ in wakes where !Task.isCancelled { await pump() }
            group.cancelAll()
        }
        machine.stop()
        alarm?.alarm.cancel()
        alarm = nil
    }

    private func connected(_ isConnected: Bool) async {
        guard machine.connected(isConnected) else { return wake() }
        if parts.ownsBreaker { parts.breaker.reset() }
        await outbox.hasten()
        wake()
    }

    private func pump() async {
        pumped = (waker.withLock { $0.count }, true)
        defer { pumped.isRunning = false }
        if machine.beginRound(at: clock.now) {
            outbox.publisher.refresh()
            if !machine.isOnline { await parts.connection.refresh() }
        }
        while machine.maySend(at: clock.now), let change = await outbox.take() {
            guard machine.isRunning, machine.isOnline, !Task.isCancelled else {
                await outbox.release(change.id)
                break
            }
            machine.began()
            // Detached: an attempt outlives the run that began it, and has no part in its cancellation.
            let attempt = Attempt(change: change, start: clock.now, returns: machine.returns)
            sends[change.id] = Task.detached(executorPreference: inheritedExecutor) { await self.run(attempt) }
        }
        let due = await outbox.nextDue
        if machine.isRunning { setAlarm(machine.wake(nextDue: due)) }
    }

    private func setAlarm(_ instant: Instant) {
        if let alarm, alarm.at <= instant { return }
        alarm?.alarm.cancel()
        alarm = (instant, Alarm(at: instant, on: clock) { [weak self] in await self?.rang(instant) })
    }

    private func rang(_ instant: Instant) {
        if alarm?.at == instant { alarm = nil }
        wake()
    }

    /// Begins no attempt any more, waits for those under way, and cancels them when `limit` is over.
    ///
    /// - Parameter run: The task of ``run()``; nil if it was stopped before.
    /// - Returns: Whether all ended in time.
    func stop(_ run: Task<Void, Never>?, within limit: Duration) async -> Bool {
        let deadline = clock.now.advanced(by: limit)
        if let run {
            machine.stop()
            // Before anything else can happen on this actor: a run that has not begun yet would start the machine again.
            run.cancel()
        }
        guard !sends.isEmpty else { return true }
        let idle = OneShot<Bool>()
        idleWaiters.append(idle)
        let hasEnded = await idle.value(until: deadline, on: clock, late: false, ifCancelled: false)
        if !hasEnded { for send in sends.values { send.cancel() } }
        return hasEnded
    }
}
