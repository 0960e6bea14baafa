// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import AxiomMetrics

/// Measures how long the main actor takes to run a job, and finds what held it if that takes too long.
///
/// It asks the main actor 20 times a second and never waits for the answer, so it delays no caller: the job reads the
/// clock and takes one lock. It also reads how long the thread of the main actor waited for a processor, which costs some
/// microseconds: after a hang in the job, else outside of the main actor. While the dashboard is not served, it does
/// nothing.
package final class MainActorWatch: Sendable {
    private struct State: Sendable {
        var log = HangLog(interval: MainActorWatch.interval)
        /// How many dashboards are served.
        var users = 0
        /// The thread that ran the main actor last.
        var thread: UInt32?
        var task: Task<Void, Never>?
    }

    /// The time between two probes.
    package static let interval = Duration.milliseconds(50)
    /// For how long after a hang its cause is searched: the operation may end later.
    private static let patience = Duration.seconds(10)

    private let clock: TimeSource
    private let recorder: FlightRecorder?
    /// Reads the scheduler's times of a thread. A manual clock has nothing to do with them.
    private let times: @Sendable (UInt32) -> SchedulerTimes?
    private let delays: ExponentialHistogram
    private let hangs: Counter
    /// Guarded by its lock, which is held for the time of a few operations on small values, on the main actor too; after a
    /// hang also while the times are read.
    private let state = Lock(State())

    init(
        _ registry: Registry,
        _ recorder: FlightRecorder?,
        clock: TimeSource,
        detail: DetailLevel
    ) throws(MetricsError) {
        self.clock = clock
        self.recorder = recorder
        times = { clock.isManual ? nil : SchedulerTimes.of($0) }
        delays = try registry.family(
            detail.durations(.axiomMainActor, lean: .axiomMainActor),
            "axiom_main_actor_delay_seconds",
            help: "Time that the main actor took to run a new job; sampled while a dashboard is served."
        )()
        hangs = try registry.counters(
            "axiom_main_actor_hangs_total",
            help: "Times that the main actor ran no new job for 100 ms or more; sampled while a dashboard is served."
        )()
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// Begins to measure. Each call needs a call of ``stop()``. Does nothing in a build without instrumentation.
    package func start() {
        guard BuildInfo.isInstrumented else { return }
        state.withLock { state in
            state.users += 1
            guard state.task == nil else { return }
            state.task = Task.detached(priority: .utility) { [weak self, clock] in
                while !Task.isCancelled, let next = self?.tick() {
                    do { try await clock.sleep(until: next) } catch { return }
                }
            }
        }
    }

    /// Ends the measurement that ``start()`` began, unless another dashboard needs it.
    package func stop() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.users > 0 else { return nil }
            state.users -= 1
            guard state.users == 0 else { return nil }
            state.log.stop()
            return state.task.take()
        }
        task?.cancel()
    }

    /// Whether it measures.
    package var isRunning: Bool { state.withLock { $0.task != nil } }

    /// Sends a probe if there is none, and returns when the next one is due.
    private func tick() -> Instant {
        let (now, work) = (clock.now, recorder?.running.work ?? .none)
        let latest = state.withLock { $0.thread }.flatMap(times)
        // Not after stop(): the task may be between its check and this call.
        let number = state.withLock { $0.task == nil ? nil : $0.log.tick(at: now, work, latest) }
        if let number { Task(priority: .high) { @MainActor [weak self] in self?.answer(number) } }
        return now.advanced(by: Self.interval)
    }

    /// Runs on the main actor, as a job like any other.
    @MainActor
    private func answer(_ number: Int) {
        let (now, thread) = (clock.now, SchedulerTimes.currentThread)
        let answer = state.withLock { state in
            state.thread = thread
            return state.log.answered(number, at: now, times(thread))
        }
        guard let answer else { return }
        delays.observe(nanoseconds: answer.delay)
        if answer.isHang { hangs.increment() }
    }
}

extension Buckets {
    /// The bounds of the main actor's delay: frames of 120 Hz and 60 Hz, and the shortest hang.
    fileprivate static let axiomMainActor: Buckets = [0.001, 0.008, 0.016, 0.05, 0.1, 0.3, 1]
}

// MARK: - Reading

extension MainActorWatch {
    /// The latest hangs, and the longest delay since `start`. Looks for causes that were not found yet, which costs 1 ms
    /// in the seconds after a hang.
    package func reading(since start: Instant) -> MainActorReading {
        settle()
        let now = clock.now
        var (reading, lasting) = state.withLock { state in
            var reading = MainActorReading()
            reading.worstDelay = state.log.worstDelay(since: start, at: now)
            reading.hangs = state.log.entries.map(\.hang)
            return (reading, state.log.lasting(at: now))
        }
        if var entry = lasting.take() {
            if entry.hang.cause != .process, let recorder,
                let culprit = HangAttribution(recorder, from: now).culprit(of: entry)
            {
                entry.hang.cause = .operation(culprit)
            }
            reading.hangs.append(entry.hang)
        }
        return reading
    }

    private func settle() {
        let open = state.withLock { $0.log.entries.filter { !$0.hang.isSettled } }
        guard let first = open.first else { return }
        let attribution = recorder.map { HangAttribution($0, from: first.hang.start) }
        for entry in open {
            var hang = entry.hang
            let culprit = attribution?.culprit(of: entry)
            if let culprit { hang.cause = .operation(culprit) }
            hang.isSettled = culprit?.trace != nil || clock.now.duration(since: hang.end) >= Self.patience
            state.withLock { $0.log.settle(hang) }
        }
    }
}
