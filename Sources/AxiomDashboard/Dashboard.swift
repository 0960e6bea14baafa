// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomInstrumentation
public import AxiomMetrics

/// What an application looks like, for a page in a browser: the snapshot, what changes each second, and files to keep.
///
/// ```swift
/// let dashboard = Dashboard(telemetry: telemetry)
/// dashboard.start()
/// let page = dashboard.exportedPage()
/// ```
/// It is free of HTTP; `AxiomExporter` serves it. While it runs, it takes a sample each second, whether anybody looks or
/// not, so that there is a history: totals of what was recorded anyway. Everything else is made when somebody looks, once
/// for all who do. `Tests/DashboardTests/run benchmark server` measures what that costs. Its memory is bounded: ``historyBytes`` for the history, and at most
/// 500 kB for ticks, which exist only while somebody looks and a minute longer.
public final class Dashboard: Sendable {
    private struct State: Sendable {
        var model: DashboardModel
        var replica = Replica()
        /// Until when ticks are made; nil when nobody has asked lately.
        var watchedUntil: Instant?
        var sampler: Task<Void, Never>?
        var isStopped = false
        /// CPU time of all samples, in seconds.
        var spent = 0.0
        let began: Instant
    }

    /// How long ticks are kept up for a reader that has paused.
    private static let patience = Duration.seconds(60)

    let registry: Registry
    let name: String
    private let telemetry: Telemetry?
    private let clock: TimeSource
    /// Guarded by its lock, which is held while a sample is taken or a snapshot is written. The board's is taken inside,
    /// and no code of the application's runs under it: its observers of a breaker, or the descriptions of its errors,
    /// might ask for a snapshot.
    private let state: Lock<State>
    let board = TickBoard()

    /// Makes a dashboard that takes no samples yet.
    ///
    /// - Parameters:
    ///   - telemetry: What to show. Its clock is the dashboard's.
    ///   - name: What the application is called; the process's name unless told.
    public convenience init(telemetry: Telemetry, name: String? = nil) {
        self.init(telemetry.registry, telemetry, name: name, clock: telemetry.timeSource)
    }

    /// Makes a dashboard of a registry that no telemetry records into: it shows the process, and what the registry has of
    /// Axiom's metrics.
    ///
    /// - Parameters:
    ///   - registry: What to show.
    ///   - name: What the application is called; the process's name unless told.
    ///   - clock: When samples are taken.
    public convenience init(registry: Registry, name: String? = nil, clock: TimeSource = .live) {
        self.init(registry, nil, name: name, clock: clock)
    }

    private init(_ registry: Registry, _ telemetry: Telemetry?, name: String?, clock: TimeSource) {
        self.registry = registry
        self.telemetry = telemetry
        self.name = name ?? ProcessIdentity.name
        self.clock = clock
        let model = DashboardModel(registry, telemetry, name: self.name, clock: clock)
        state = Lock(State(model: model, began: clock.now))
    }

    deinit {
        state.withLock { $0.sampler }?.cancel()
    }

    /// Begins to take samples. Does nothing when it has begun or was stopped.
    public func start() {
        state.withLock { state in
            guard state.sampler == nil, !state.isStopped else { return }
            state.sampler = Task.detached(priority: .utility) { [weak self, clock] in
                while let next = self?.nextSample {
                    do { try await clock.sleep(until: next) } catch { return }
                    self?.sample()
                }
            }
        }
    }

    /// Takes no more samples, and tells all who read along that the process ends.
    public func stop(reason: String = "it was stopped") {
        let at = state.withLock { state in
            state.isStopped = true
            state.sampler?.cancel()
            return state.model.at
        }
        board.end(at: at, reason: reason)
    }

    private var nextSample: Instant { state.withLock { $0.model.grid.next } }

    /// Reading a breaker moves its time, and so may tell its observers of a transition.
    private func readCircuits() -> [CircuitFact] {
        telemetry?.breakers.map { CircuitFact($0) } ?? []
    }

    /// Takes the sample that is due.
    package func sample() {
        let before = ProcessIdentity.threadSeconds
        let circuits = readCircuits()
        state.withLock { state in
            state.model.circuits = circuits
            let points = state.model.sample()
            if isWatched(&state) {
                state.model.cost.viewers = board.readers
                state.model.rebuild()
                var writer = TickWriter(seq: state.model.seq, at: state.model.at, points)
                writer.fill(&state.replica, state.model.lists, facts: state.model.facts, columns: state.model.columns)
                let json = writer.json
                state.model.cost.tickBytes = json.count
                board.add(seq: state.model.seq, json)
            } else {
                board.add(seq: state.model.seq, nil)
                if state.model.isSurveyDue { state.model.survey() }
            }
            state.model.closeStep()
            let cost = ProcessIdentity.threadSeconds - before
            state.spent += cost
            state.model.cost.sampleSeconds = cost
            state.model.cost.share = state.spent / max(1, clock.now.seconds(since: state.began))
        }
    }

    private func isWatched(_ state: inout State) -> Bool {
        if board.readers > 0 { state.watchedUntil = clock.now.advanced(by: Self.patience) }
        guard let until = state.watchedUntil else { return false }
        if clock.now < until { return true }
        state.watchedUntil = nil
        return false
    }

    /// Sees to it that ticks are made, and that there is something to compare them with.
    private func wake(_ state: inout State, _ circuits: [CircuitFact]) {
        let isAwake = state.watchedUntil != nil
        state.watchedUntil = clock.now.advanced(by: Self.patience)
        guard !isAwake else { return }
        state.model.circuits = circuits
        state.model.rebuild()
        state.replica.reset(state.model.lists, facts: state.model.facts, columns: state.model.columns)
    }

    /// The whole snapshot in JSON, as `Dashboards/web/PROTOCOL.md` describes it. Cost: some milliseconds.
    public func snapshot() -> [UInt8] {
        let circuits = readCircuits()
        return state.withLock { state in
            wake(&state, circuits)
            let json = state.model.snapshot()
            state.model.cost.snapshotBytes = json.count
            return json
        }
    }

    /// What a reader lacks that has seen everything up to the tick `seq` of the run `instance`: the ticks since then
    /// while all of them are kept, else the snapshot.
    public func update(since seq: Int, instance: String) -> [UInt8] {
        let circuits = readCircuits()
        let ticks = state.withLock { state in
            wake(&state, circuits)
            return instance == state.model.instance ? board.ticks(after: seq) : nil
        }
        guard let ticks else { return snapshot() }
        var json = JSONText()
        json.raw("{\"schema\":\"axiom/ticks\",\"version\":1,\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"ticks\":" as StaticString)
        json.list(ticks) { $0.raw($1.json) }
        json.raw("}" as StaticString)
        return json.bytes
    }

    /// The ticks after `seq` that are kept, as they were sent; none when one of them is missing.
    func latestTicks(after seq: Int) -> [[UInt8]] {
        board.ticks(after: seq)?.map(\.json) ?? []
    }

    /// The events from the tick after `seq` of the run `instance`; from now on without them.
    public func events(since seq: Int? = nil, instance: String? = nil) -> DashboardEvents {
        let circuits = readCircuits()
        return state.withLock { state in
            wake(&state, circuits)
            let isOther = instance.map { $0 != state.model.instance } ?? false
            return DashboardEvents(
                board: board,
                seq: isOther ? state.model.seq : seq ?? state.model.seq,
                isLost: isOther
            )
        }
    }

    /// The bytes that the history takes, however long the process runs.
    public var historyBytes: Int { state.withLock { $0.model.historyBytes } }
}
