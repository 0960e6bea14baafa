// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What a trend is about, with the name of the component.
enum TrendSubject: Sendable, Hashable {
    case operation(String, String)
    case component(String)
    case state(String)
    case instances(String)
    case inFlight(String)
    /// The wait for the actor of a client.
    case actor(String)
    /// The wait for a connection of a pool.
    case pool(String)
    /// A gauge of a module: its family and its label.
    case gauge(String, String)
    case process
}

/// Something that is unusual, compared with the hour before.
struct TrendFinding: Sendable, Hashable {
    enum Change: Sendable, Hashable {
        /// Medians in seconds.
        case slow(now: Double, before: Double)
        /// Shares of 0...1.
        case failing(now: Double, before: Double)
        /// The share of calls that take longer than a limit in seconds.
        case tail(share: Double, limit: Double)
        /// How many calls have not ended after how many seconds.
        case hanging(calls: Double, seconds: Double)
        case growth(from: Double, to: Double, seconds: Double)
        /// How many of how many instances live on after how many seconds, and of those that were made before.
        case living(kept: Double, total: Double, keptBefore: Double, totalBefore: Double, seconds: Double)
        /// Calls a second, and the last one in seconds since 1970.
        case silence(rate: Double, until: Double)
    }

    let subject: TrendSubject
    let change: Change
}

/// The last hour of each component, a sample each ten seconds, and what is unusual now.
///
/// Memory: at most 800 operations of 2.4 kB, 200 waits of 1.8 kB, 380 levels of 0.7 kB, 200 lives of 0.6 kB and 500 components
/// of 0.5 kB, below 3 MB; what comes later is not judged. Cost: each ten seconds about 2 µs for each operation with calls,
/// after the tick, and each half minute 50 ns for each living instance.
struct TrendMemory: Sendable {
    private struct Waits: Sendable {
        var base: ExponentialHistogramData
        /// About one wait in 64 is recorded.
        var trend = CallTrend(leastCalls: 20)
    }

    private struct Calls: Sendable {
        var total: UInt64
        var trend = SilenceTrend()
    }

    static let (operationLimit, waitLimit, levelLimit, componentLimit, lifeLimit) = (800, 200, 380, 500, 200)
    /// The least growth in bytes of a state and of the process, and of what is counted.
    private static let (leastState, leastProcess, leastCount) = (65_536.0, 33_554_432.0, 16.0)
    /// The gauges of modules that are depths of queues.
    private static let queues: Set = ["axiom_outbox_changes", "axiom_pool_waiters"]
    private static let poolWait = "axiom_pool_wait_seconds"

    /// By the id of the action. Actions of contexts come from people, and are no steady measure.
    private var operations: [OperationTrend] = []
    private var waits: [TrendSubject: Waits] = [:]
    private var levels: [TrendSubject: LevelTrend] = [:]
    private var lives: [ComponentDescriptor: LifeTrend] = [:]
    /// By the id of the component; nil for contexts.
    private var calls: [Int: Calls] = [:]
    private var at = 0.0
    private(set) var findings: [TrendFinding] = []

    /// Adds a step of ten seconds. If the clock jumped or the process slept, the memory starts again.
    mutating func record(_ history: History, _ readings: Readings, _ components: ComponentIndex) {
        let now = history.at
        if at > 0, !(1...60).contains(now - at) { self = TrendMemory() }
        func closes(_ interval: Double) -> Bool { (now / interval).rounded(.down) > (at / interval).rounded(.down) }
        let (isMinuteOver, isHalfMinuteOver) = (closes(60), closes(LevelTrend.interval))
        at = now
        addCalls(history, readings, components, closes: isMinuteOver)
        let signals = readings.signals(atMost: SignalRow.familyLimit, except: SignalRow.hidden)
        if isMinuteOver { addWaits(readings, signals) }
        addLevels(history, readings, signals, closes: isHalfMinuteOver)
        if isHalfMinuteOver { addLives(history, readings) }
        findings = slowness + growth + living + silence(components)
        for (id, action) in history.actions.actions.prefix(operations.count).enumerated() {
            let name = components.name(action.component)
            findings += operations[id].findings(.operation(name, action.name))
        }
    }

    // MARK: - Sampling

    private mutating func addCalls(
        _ history: History,
        _ readings: Readings,
        _ components: ComponentIndex,
        closes: Bool
    ) {
        let (actions, inFlight) = (history.actions, readings.actionsInFlight)
        var totals: [Int: UInt64] = [:]
        for (id, action) in actions.actions.enumerated() {
            if id == operations.count, id < Self.operationLimit { operations.append(OperationTrend()) }
            let component = components.descriptors[action.component]
            guard component.kind != .context else { continue }
            totals[action.component, default: 0] &+= actions.outcomes(id).total
            guard id < operations.count else { continue }
            operations[id].add(
                actions,
                id,
                since: history.mark?.actions,
                inFlight: inFlight[component.name]?[action.name] ?? 0,
                at: at,
                closes: closes
            )
        }
        for (id, total) in totals where id < Self.componentLimit {
            let new = total &- (calls[id]?.total ?? total)
            calls[id, default: Calls(total: total)].total = total
            calls[id]?.trend.add(calls: Double(new), at: at, closes: closes)
        }
    }

    private mutating func addWaits(_ readings: Readings, _ signals: [SignalReading]) {
        for (name, waits) in readings.actorWaits { addWaits(waits, .actor(name)) }
        for signal in signals where signal.family.name == Self.poolWait {
            if let waits = signal.distribution { addWaits(waits, .pool(signal.values.first ?? "")) }
        }
    }

    private mutating func addWaits(_ all: ExponentialHistogramData, _ subject: TrendSubject) {
        guard var known = waits[subject] else {
            if all.count > 0, waits.count < Self.waitLimit { waits[subject] = Waits(base: all) }
            return
        }
        let new = all.subtracting(known.base)
        known.base = all
        known.trend.add(CallMinute(new, calls: new.count, failures: 0), at: at, closes: true)
        waits[subject] = known
    }

    private mutating func addLevels(
        _ history: History,
        _ readings: Readings,
        _ signals: [SignalReading],
        closes: Bool
    ) {
        var present: [TrendSubject: (level: Double, least: Double)] = [:]
        for (name, bytes) in readings.stateSizes { present[.state(name)] = (bytes, Self.leastState) }
        for row in readings.components where row.component.kind != .orchestrator {
            present[.instances(row.component.name)] = (Double(row.created &- row.destroyed), Self.leastCount)
        }
        for (name, actions) in readings.actionsInFlight {
            present[.inFlight(name)] = (Double(actions.values.reduce(0, &+)), Self.leastCount)
        }
        for signal in signals where Self.queues.contains(signal.family.name) {
            present[.gauge(signal.family.name, signal.values.first ?? "")] = (signal.value, Self.leastCount)
        }
        if let memory = history.fine.last?[.memory], !memory.isNaN {
            present[.process] = (Double(memory), Self.leastProcess)
        }
        // What is small is not followed yet, and what is gone is at 0.
        for (subject, value) in present where levels[subject] == nil && value.level >= value.least / 4 {
            if levels.count < Self.levelLimit { levels[subject] = LevelTrend(least: value.least) }
        }
        for subject in levels.keys { levels[subject]?.add(present[subject]?.level ?? 0, at: at, closes: closes) }
    }

    /// Only of components of which several instances were made. A presentation lives as long as its context.
    private mutating func addLives(_ history: History, _ readings: Readings) {
        let lifetimes = readings.lifetimes
        let living = Dictionary(grouping: readings.instances.living.values, by: \.component)
        let kinds: Set<ComponentKind> = [.context, .client, .capability]
        for row in readings.components where row.created > 1 && kinds.contains(row.component.kind) {
            guard lives[row.component] != nil || lives.count < Self.lifeLimit else { continue }
            let ages = (living[row.component] ?? []).map { history.at - history.grid.seconds($0.start) }
            lives[row.component, default: LifeTrend()].close(
                made: Double(row.created),
                longest: lifetimes[row.component]?.estimate(0.99),
                at: at
            ) { times in Double(ages.count(where: times.contains)) }
        }
    }

    // MARK: - Findings

    private var slowness: [TrendFinding] { waits.flatMap { $1.trend.findings($0) } }

    private var growth: [TrendFinding] {
        levels.filter { $0.value.alarm.since != nil }.map { subject, trend in
            let (from, to) = (Double(trend.from), Double(trend.level))
            return TrendFinding(subject: subject, change: .growth(from: from, to: to, seconds: trend.age(at: at)))
        }
    }

    private var living: [TrendFinding] {
        lives.filter { $0.value.alarm.since != nil }.map { component, trend in
            let change = TrendFinding.Change.living(
                kept: trend.kept,
                total: trend.total,
                keptBefore: trend.keptBefore,
                totalBefore: trend.totalBefore,
                seconds: trend.limit
            )
            return TrendFinding(subject: .instances(component.name), change: change)
        }
    }

    /// The components whose calls have stopped while the others are called as before: if half of all have stopped, or the
    /// others have less than half of their calls, the load of the application has ended.
    private func silence(_ components: ComponentIndex) -> [TrendFinding] {
        let silent = calls.filter { $0.value.trend.isSilent(at: at) }
        let others = calls.filter { $0.value.trend.isSteady && silent[$0.key] == nil }
        guard !silent.isEmpty, silent.count <= others.count else { return [] }
        let expected = others.reduce(0) { $0 + $1.value.trend.rate }
        let present = others.reduce(0) { $0 + $1.value.trend.presentRate }
        guard present >= expected / 2 else { return [] }
        return silent.map { id, calls in
            let until = calls.trend.lastCall ?? at
            let change = TrendFinding.Change.silence(rate: calls.trend.rate, until: until)
            return TrendFinding(subject: .component(components.name(id)), change: change)
        }
    }
}
