// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// Some actions together: all their calls, and those of the last minute.
struct CallSummary: Sendable {
    /// Since the beginning.
    let outcomes: OutcomeCounts
    /// Calls per second.
    let rate: Double
    /// The share of the calls in the last minute that failed or were rejected; nil if there were none.
    let errorRatio: Double?
    /// Of the calls in the last minute.
    let durations: ExponentialHistogramData

    var total: UInt64 { outcomes.total }
    var failures: UInt64 { outcomes.failure }

    /// Of the calls in the last minute, in seconds; nil if there were none.
    func quantile(_ probability: Double) -> Double? { durations.estimate(probability) }
}

extension CallSummary {
    /// The actions with these ids.
    init(_ ids: [Int], _ history: History) {
        let (actions, earlier) = (history.actions, history.mark?.actions)
        let recent = ids.reduce(OutcomeCounts()) { $0 + actions.outcomes($1, since: earlier) }
        self.init(
            outcomes: ids.reduce(OutcomeCounts()) { $0 + actions.outcomes($1) },
            rate: Double(recent.total) / history.markAge,
            errorRatio: recent.failureRatio,
            durations: actions.durations(of: ids, since: earlier)
        )
    }
}

/// One action of a client, of a context or of a request handler, or one call of a capability.
struct CallRow: SnapshotRow {
    let id: Int
    let component: Int
    let action: String
    let calls: CallSummary
    /// nil for contexts' actions, of which it is not known.
    let inFlight: UInt64?

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("action") { .words($0.action) },
        RowField("success") { .count($0.calls.outcomes.success) },
        RowField("failure") { .count($0.calls.outcomes.failure) },
        RowField("cancelled") { .count($0.calls.outcomes.cancelled) },
        RowField("rejected") { .count($0.calls.outcomes.rejected) },
        RowField("rate") { .measured($0.calls.rate) },
        RowField("errorRatio") { .measured($0.calls.errorRatio) },
        RowField("inFlight") { .count($0.inFlight) },
        RowField("p50") { .measured($0.calls.quantile(0.5)) },
        RowField("p90") { .measured($0.calls.quantile(0.9)) },
        RowField("p99") { .measured($0.calls.quantile(0.99)) },
    ]

    static func rows(_ observed: Observation, _ history: History, _ components: ComponentIndex) -> [CallRow] {
        history.actions.actions.enumerated().map { id, action in
            let component = components.descriptors[action.component]
            let busy = component.kind.countsInFlight ? observed.inFlight[component.name] : nil
            return CallRow(
                id: id,
                component: action.component,
                action: action.name,
                calls: CallSummary([id], history),
                inFlight: busy.map { $0[action.name] ?? 0 }
            )
        }
    }
}

/// One of the slowest actions of the last minutes, with its trace if that was kept.
struct SlowRow: SnapshotRow {
    let id: Int
    let component: Int?
    let action: SlowAction
    let at: Double
    let trace: TraceID?

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("action") { .words($0.action.action) },
        RowField("seconds") { .measured(Double($0.action.nanoseconds) / 1e9) },
        RowField("at") { .moment($0.at) },
        RowField("outcome") { .term($0.action.outcome.rawValue) },
        RowField("trace") { .term($0.trace?.description) },
    ]

    /// The most rows.
    private static let limit = 40

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [SlowRow] {
        let slowest = choose(observed.slowest, limit)
        ids.slowest.keep(slowest)
        return slowest.map { slow in
            SlowRow(
                id: ids.slowest.id(slow),
                component: ids.components.id(named: slow.component.name),
                action: slow,
                at: history.grid.seconds(slow.time),
                trace: observed.traces[slow.measured]
            )
        }
    }

    /// One half are the slowest of all. The other half are in turn the slowest of each component, the second slowest of
    /// each, and so on, so that no component is hidden by another.
    static func choose(_ all: [SlowAction], _ limit: Int) -> [SlowAction] {
        let sorted = Array(Set(all)).sorted { ($1.nanoseconds, $0.time) < ($0.nanoseconds, $1.time) }
        var taken: [ComponentDescriptor: Int] = [:]
        let ranked = sorted.map { slow in
            taken[slow.component, default: 0] += 1
            return (rank: taken[slow.component, default: 0], slow: slow)
        }
        let rest = ranked.dropFirst(limit / 2).sorted {
            ($0.rank, $1.slow.nanoseconds) < ($1.rank, $0.slow.nanoseconds)
        }
        return sorted.prefix(limit / 2) + rest.prefix(limit - limit / 2).map(\.slow)
    }
}

/// One heat map. A tick says what it is about; its columns follow one by one.
struct LatencyRow: SnapshotRow {
    let id: Int
    /// nil for all calls.
    let component: Int?
    /// How long an action may take, in seconds.
    let limit: Double?

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("action") { _ in .none },
        RowField("limit") { .measured($0.limit) },
        // A tick has no columns: a snapshot brings them, and ticks those that follow.
        RowField("fine", .onceWithTheRow) { _ in value(nil) },
        RowField("coarse", .onceWithTheRow) { _ in value(nil) },
    ]

    static func value(_ ring: TimeRing<LatencyColumn>?) -> RowValue {
        .json { json in
            guard let ring else { return json.raw("{\"step\":10,\"start\":0,\"series\":{}}" as StaticString) }
            ring.write(to: &json)
        }
    }

    static func rows(_ observed: Observation, _ history: History, _ components: ComponentIndex) -> [LatencyRow] {
        history.heatMaps.ids.map { id in
            let component = history.heatMaps.maps[id]?.component
            let descriptor = component.map { components.descriptors[$0] }
            return LatencyRow(id: id, component: component, limit: descriptor.flatMap { observed.actionLimits[$0] })
        }
    }
}

extension ComponentKind {
    /// Whether the calls of components of this kind are counted while they run.
    var countsInFlight: Bool { self == .client || self == .request || self == .capability }
}
