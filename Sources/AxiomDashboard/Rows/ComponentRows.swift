// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// One component type.
struct ComponentRow: SnapshotRow {
    /// How long the instances lived that have ended.
    struct Lifetime: Sendable {
        let seconds: ExponentialHistogramData
        /// In seconds; nil while none has ended.
        let longest: Double?
    }

    let id: Int
    let descriptor: ComponentDescriptor
    /// The counts of the type; nil for one that was never registered.
    let counts: CensusRow?
    /// How often a capability was created again; nil for other components.
    let restarts: UInt64?
    let lifetime: Lifetime?
    let calls: CallSummary
    /// The errors of its calls, or those that arose in it if it processes no actions.
    let errors: UInt64
    /// nil for contexts and for what is not called.
    let inFlight: UInt64?
    /// The 99th percentile of the time that its actions waited for its actor, in seconds.
    let wait: Double?
    /// The worst verdict on its operations.
    let budget: String
    /// Calls per second in the last steps of ten seconds.
    let spark: [Double]

    var live: UInt64? { counts.map { $0.created - $0.destroyed } }

    static let fields: [RowField<Self>] = [
        RowField("kind") { .term($0.descriptor.kind.rawValue) },
        RowField("name") { .words($0.descriptor.name) },
        RowField("module") { .words($0.counts?.module ?? "") },
        RowField("live") { .count($0.live) },
        RowField("created") { .count($0.counts?.created) },
        RowField("ended") { .count($0.counts?.destroyed) },
        RowField("leaks") { .count($0.counts?.leakSuspects) },
        RowField("restarts") { .count($0.restarts) },
        RowField("lifetime") { $0.lifetime?.value ?? .none },
        RowField("calls") { .count($0.calls.total) },
        RowField("errors") { .count($0.errors) },
        RowField("rate") { .measured($0.calls.rate) },
        RowField("errorRatio") { .measured($0.calls.errorRatio) },
        RowField("inFlight") { .count($0.inFlight) },
        RowField("p50") { .measured($0.calls.quantile(0.5)) },
        RowField("p90") { .measured($0.calls.quantile(0.9)) },
        RowField("p99") { .measured($0.calls.quantile(0.99)) },
        RowField("wait") { .measured($0.wait) },
        RowField("budget") { .term($0.budget) },
        RowField("spark", .onceWithTheRow) { row in .json { json in json.list(row.spark) { $0.number($1) } } },
    ]
}

extension ComponentRow.Lifetime {
    /// As an object.
    fileprivate var value: RowValue {
        .object { json in
            json.member("count", seconds.count)
            json.member("p50", seconds.estimate(0.5)?.significant())
            json.member("p95", seconds.estimate(0.95)?.significant())
            json.member("max", longest?.significant())
            json.member("counts") { json in json.list(CoarseBuckets.lifetime.counts(of: seconds)) { $0.integer($1) } }
        }
    }
}

extension ComponentRow {
    static func rows(_ observed: Observation, _ history: History, _ components: ComponentIndex) -> [ComponentRow] {
        let census = Dictionary(observed.census.map { ($0.component, $0) }) { first, _ in first }
        let errors = errorsByComponent(observed, components)
        return components.descriptors.enumerated().map { id, descriptor in
            let counts = census[descriptor]
            let actions = history.actions.ids(of: id)
            let calls = CallSummary(actions, history)
            let busy = observed.inFlight[descriptor.name].map { $0.values.reduce(0, +) }
            return ComponentRow(
                id: id,
                descriptor: descriptor,
                counts: counts,
                restarts: restarts(descriptor, counts),
                lifetime: observed.lifetimes[descriptor].map { lifetime($0, counts) },
                calls: calls,
                errors: errorCount(of: descriptor, calls, arisen: errors[id] ?? 0, isCalled: !actions.isEmpty),
                inFlight: descriptor.kind.countsInFlight ? busy : nil,
                wait: descriptor.kind == .client ? observed.waits[descriptor.name] : nil,
                budget: observed.budgetStatus[descriptor.name] ?? "none",
                spark: history.sparks.rates(ofComponent: id)
            )
        }
    }

    /// The errors of its calls, or those that arose in it if it is not called. A capability has errors apart from its calls,
    /// too, and calls that were rejected because of them.
    private static func errorCount(
        of component: ComponentDescriptor,
        _ calls: CallSummary,
        arisen: UInt64,
        isCalled: Bool
    ) -> UInt64 {
        guard isCalled else { return arisen }
        return component.kind == .capability ? max(arisen, calls.failures + calls.outcomes.rejected) : calls.failures
    }

    /// A capability is created again when its environment has changed; other components are not restarted.
    private static func restarts(_ descriptor: ComponentDescriptor, _ counts: CensusRow?) -> UInt64? {
        guard descriptor.kind == .capability, let counts else { return nil }
        return counts.created == 0 ? 0 : counts.created - 1
    }

    private static func lifetime(_ seconds: ExponentialHistogramData, _ counts: CensusRow?) -> Lifetime {
        let longest = counts.flatMap { $0.destroyed > 0 ? Double($0.longestLifetime) / 1e9 : nil }
        return Lifetime(seconds: seconds, longest: longest)
    }

    private static func errorsByComponent(_ observed: Observation, _ components: ComponentIndex) -> [Int: UInt64] {
        var errors: [Int: UInt64] = [:]
        for group in observed.errors?.groups ?? [] {
            guard let id = components.id(named: group.fingerprint.component.name) else { continue }
            errors[id, default: 0] += group.count
        }
        return errors
    }
}

/// One instance of a component type.
struct InstanceRow: SnapshotRow {
    let id: Int
    let component: Int?
    let start: Double
    /// nil while it lives.
    let end: Double?
    let how: String

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("start") { .moment($0.start) },
        RowField("end") { .moment($0.end) },
        RowField("how") { .term($0.how) },
    ]

    /// The most living instances of one type, beside leak suspects, and of all types.
    private static let (typeLimit, limit) = (12, 1_500)

    /// The leak suspects, of each type the oldest and the newest living instances, and the ended ones, in the order of
    /// their creation.
    private static func choose(_ observed: Observation) -> [InstanceLog.Entry] {
        let living = observed.living.values.sorted { $0.id < $1.id }
        let types = Dictionary(grouping: living.filter { !observed.leaked.contains($0.id) }, by: \.component)
        let shown = types.values.flatMap { entries -> [InstanceLog.Entry] in
            let half = typeLimit / 2
            return entries.count <= typeLimit ? entries : Array(entries.prefix(half) + entries.suffix(half))
        }
        let suspects = living.filter { observed.leaked.contains($0.id) }
        return (suspects + shown.sorted { $0.id < $1.id }.prefix(limit) + observed.ended).sorted { $0.id < $1.id }
    }

    static func rows(_ observed: Observation, _ history: History, _ components: ComponentIndex) -> [InstanceRow] {
        choose(observed).map { entry in
            let isLeaked = observed.leaked.contains(entry.id)
            return InstanceRow(
                id: Int(clamping: entry.id),
                component: components.id(named: entry.component.name),
                start: history.grid.seconds(entry.start),
                end: entry.end.map { history.grid.seconds($0) },
                how: isLeaked ? "leaked" : entry.end == nil ? "live" : "\(entry.ending)"
            )
        }
    }
}
