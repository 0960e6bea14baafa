// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomInstrumentation
internal import AxiomMetrics

/// An application as a page in a browser shows it: a snapshot, the changes each second, and files to keep.
///
/// ```swift
/// let dashboard = Dashboard(telemetry: telemetry)
/// dashboard.start()
/// let page = dashboard.exportedPage()
/// ```
/// It is free of HTTP; `AxiomExporter` serves it. While it runs, it takes a sample of the totals each second, so that the
/// history is there when a page is opened. Everything else is made while a page is open, once for all readers.
/// `Tests/DashboardTests/run benchmark server` measures what that costs. Its memory is bounded: less than 700 kB for
/// the history, 2 MB for trends, and at most 4 MiB for ticks, which are kept while a page is open and a minute longer.
package final class Dashboard: Sendable {
    struct State: Sendable {
        var model: DashboardModel
        var delta = DeltaEncoder()
        /// Until when ticks are made; nil while there are no readers.
        var watchedUntil: Instant?
        var sampler: Task<Void, Never>?
        /// That of ``ActiveProblems``, while samples are taken.
        var registration: CollectorRegistration?
        var isStopped = false
        /// CPU time of all samples, in seconds.
        var spent = 0.0
        let began: Instant
    }

    /// How long ticks are made for a reader that has paused.
    private static let patience = Duration.seconds(60)

    let name: String
    let readings: Readings
    let clock: TimeSource
    private let registry: Registry
    /// Differs between any two runs.
    let instance: String
    /// None without instrumentation, because there is nothing to inspect, to act on or to record.
    package let features: Set<DashboardFeature>
    /// Guarded by its lock, which is held while a sample is taken or a snapshot is written. The lock of the buffer is taken
    /// inside. No code of the application runs under it: observers of a breaker and descriptions of errors may ask for a
    /// snapshot.
    let state: Lock<State>
    let buffer = ReplayBuffer()

    /// Makes a dashboard that takes no samples yet.
    ///
    /// - Parameters:
    ///   - telemetry: What to show. Its clock is the dashboard's.
    ///   - name: What the application is called; by default the name of the process.
    ///   - features: What it shows or does beyond telemetry.
    package init(telemetry: Telemetry, name: String? = nil, features: Set<DashboardFeature> = []) {
        (readings, clock, registry) = (telemetry.readings, telemetry.timeSource, telemetry.registry)
        self.features = readings.isInstrumented ? features : []
        self.name = name ?? ProcessIdentity.name
        let model = DashboardModel(telemetry.registry, readings, self.name, clock, self.features)
        instance = model.instance
        state = Lock(State(model: model, began: clock.now))
        // A recording that the application began goes on.
        if self.features.contains(.recordsPayloads), !telemetry.isRecordingScenario { telemetry.recordScenario() }
    }

    deinit {
        state.withLock { endSampling(&$0) }
    }

    /// Begins to take samples, and to measure the main actor. Does nothing when it has begun or was stopped.
    package func start() {
        state.withLock { state in
            guard state.sampler == nil, !state.isStopped else { return }
            readings.mainActor.start()
            if readings.isInstrumented { state.registration = registry.register(state.model.active) }
            state.sampler = Task.detached(priority: .utility) { [weak self, clock] in
                while let next = self?.grid.next {
                    do { try await clock.sleep(until: next) } catch { return }
                    self?.sample()
                }
            }
        }
    }

    private func endSampling(_ state: inout State) {
        guard state.sampler != nil, !state.isStopped else { return }
        state.sampler?.cancel()
        readings.mainActor.stop()
        if let registration = state.registration { registry.unregister(registration) }
    }

    /// Takes no more samples, and ends the streams of all readers.
    package func stop(reason: String = "it was stopped") {
        let at = state.withLock { state in
            endSampling(&state)
            state.isStopped = true
            return state.model.history.at
        }
        buffer.end(at: at, reason: reason)
        readings.inspector.stop()
        if features.contains(.allowsActions) { readings.developerActions.endAll() }
    }

    /// The run, and the times of its instants, for documents.
    var origin: DocumentOrigin { DocumentOrigin(instance: instance, grid: grid, now: clock.now) }

    /// The wall clock as the samples have it.
    private var grid: TimeGrid { state.withLock { $0.model.history.grid } }

    // MARK: - Samples

    /// Takes the sample that is due.
    package func sample() {
        let before = ThreadTime.seconds
        let breakers = readings.breakers
        if features.contains(.inspectsState) { readings.inspector.expire() }
        if features.contains(.allowsActions) { readings.developerActions.expire() }
        state.withLock { state in
            state.model.breakers = breakers
            let points = state.model.sample()
            if isWatched(&state) {
                addTick(points, &state)
            } else {
                buffer.add(seq: state.model.history.seq, nil)
                if state.model.history.isStepOver { state.model.survey() }
            }
            state.model.closeStep()
            let cost = ThreadTime.seconds - before
            state.spent += cost
            state.model.cost.sampleSeconds = cost
            state.model.cost.share = state.spent / max(1, clock.now.seconds(since: state.began))
        }
    }

    private func addTick(_ points: TickPoints, _ state: inout State) {
        state.model.cost.viewers = buffer.readers
        state.model.rebuild()
        let tick = state.model.tick(points, &state.delta)
        state.model.cost.tickBytes = tick.size
        buffer.add(seq: tick.seq, tick)
    }

    private func isWatched(_ state: inout State) -> Bool {
        if buffer.readers > 0 { state.watchedUntil = clock.now.advanced(by: Self.patience) }
        guard let until = state.watchedUntil else { return false }
        if clock.now < until { return true }
        state.watchedUntil = nil
        return false
    }

    /// Makes sure that ticks are made, and that there are rows to compare them with.
    func wake(_ state: inout State, _ breakers: [BreakerReading]) {
        let isAwake = state.watchedUntil != nil
        state.watchedUntil = clock.now.advanced(by: Self.patience)
        guard !isAwake else { return }
        state.model.breakers = breakers
        state.model.rebuild()
        state.delta.reset(state.model.lists, headers: state.model.headers, columns: state.model.columns)
    }
}
