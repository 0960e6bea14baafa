// SPDX-License-Identifier: Apache-2.0

/// All lists of a snapshot: a function of what was observed and of the history. The ids alone are remembered from one call
/// to the next.
struct Rows: Sendable {
    var problems: [ProblemRow] = []
    var events: [EventRow] = []
    var circuits: [CircuitRow] = []
    var latency: [LatencyRow] = []
    var budgets: [BudgetRow] = []
    var errors: [ErrorRow] = []
    var regressions: [RegressionRow] = []
    var hangs: [HangRow] = []
    var runtime: [FactRow] = []
    var telemetry: [FactRow] = []
    var components: [ComponentRow] = []
    var calls: [CallRow] = []
    var slowest: [SlowRow] = []
    var edges: [EdgeRow] = []
    var policies: [FactRow] = []
    var instances: [InstanceRow] = []
    var capabilities: [CapabilityRow] = []
    var signals: [SignalRow] = []

    init() {}

    /// All rows but problems and events. Cost: some microseconds for each row.
    init(_ observed: Observation, _ history: History, _ ids: inout RowIDs) {
        circuits = CircuitRow.rows(observed, history, &ids)
        latency = LatencyRow.rows(observed, history, ids.components)
        budgets = BudgetRow.rows(observed, history, &ids)
        errors = ErrorRow.rows(observed, history, &ids)
        regressions = RegressionRow.rows(observed, &ids)
        hangs = HangRow.rows(history, ids.components)
        runtime = FactRow.rows(observed.runtime, &ids.runtime)
        telemetry = FactRow.rows(observed.telemetry, &ids.telemetry)
        components = ComponentRow.rows(observed, history, ids.components)
        calls = CallRow.rows(observed, history, ids.components)
        slowest = SlowRow.rows(observed, history, &ids)
        edges = EdgeRow.rows(observed, history, &ids)
        policies = FactRow.rows(observed.policies, &ids.policies)
        instances = InstanceRow.rows(observed, history, ids.components)
        capabilities = CapabilityRow.rows(observed, history, ids.components)
        signals = SignalRow.rows(observed, &ids)
    }

    /// The rows with what a reader of ticks keeps up to date by itself: the sparks, and the columns of the heat maps.
    func completed(by history: History) -> Rows {
        var rows = self
        for index in components.indices {
            rows.components[index].spark = history.sparks.rates(ofComponent: components[index].id)
        }
        for index in latency.indices { rows.latency[index].map = history.heatMaps.maps[latency[index].id] }
        return rows
    }

    /// The values of all rows, in the order of ``ListKind``.
    var encoded: [EncodedList] { ListKind.allCases.map { encoded($0) } }

    private func encoded(_ kind: ListKind) -> EncodedList {
        switch kind {
        case .problems: EncodedList(kind, problems)
        case .circuits: EncodedList(kind, circuits)
        case .latency: EncodedList(kind, latency)
        case .events: EncodedList(kind, events)
        case .budgets: EncodedList(kind, budgets)
        case .errors: EncodedList(kind, errors)
        case .regressions: EncodedList(kind, regressions)
        case .hangs: EncodedList(kind, hangs)
        case .runtime: EncodedList(kind, runtime)
        case .telemetry: EncodedList(kind, telemetry)
        case .components: EncodedList(kind, components)
        case .calls: EncodedList(kind, calls)
        case .slowest: EncodedList(kind, slowest)
        case .edges: EncodedList(kind, edges)
        case .policies: EncodedList(kind, policies)
        case .instances: EncodedList(kind, instances)
        case .capabilities: EncodedList(kind, capabilities)
        case .signals: EncodedList(kind, signals)
        }
    }
}
