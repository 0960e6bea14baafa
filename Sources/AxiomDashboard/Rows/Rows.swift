// SPDX-License-Identifier: Apache-2.0

/// The lists of a snapshot, in the order in which their changes are sent if a tick has no room for all. A list is named and
/// made here alone; `Dashboards/web/model/lists.js` is generated from this table.
enum ListKind: Int, CaseIterable, Sendable {
    case problems, circuits, latency, events, budgets, errors, regressions, hangs, runtime, telemetry
    case components, calls, slowest, edges, policies, instances, capabilities, signals

    var name: String { "\(self)" }

    /// Whether its changes precede the changes of other lists, even those that have waited.
    var isUrgent: Bool { rawValue <= ListKind.events.rawValue }

    /// The list with its rows. Cost: some microseconds for each row.
    func list(_ source: inout RowSource) -> EncodedList {
        let (observed, history) = (source.observed, source.history)
        return switch self {
        case .problems: EncodedList(self, source.problems)
        case .circuits: EncodedList(self, CircuitRow.rows(observed, history, &source.ids))
        case .latency: EncodedList(self, LatencyRow.rows(observed, history, source.ids.components))
        case .events: EncodedList(self, source.events)
        case .budgets: EncodedList(self, BudgetRow.rows(observed, history, &source.ids))
        case .errors: EncodedList(self, ErrorRow.rows(observed, history, &source.ids))
        case .regressions: EncodedList(self, RegressionRow.rows(observed, &source.ids))
        case .hangs: EncodedList(self, HangRow.rows(history, source.ids.components))
        case .runtime: EncodedList(self, FactRow.rows(observed.runtime, &source.ids.runtime))
        case .telemetry: EncodedList(self, FactRow.rows(observed.telemetry, &source.ids.telemetry))
        case .components: EncodedList(self, ComponentRow.rows(observed, history, source.ids.components))
        case .calls: EncodedList(self, CallRow.rows(observed, history, source.ids.components))
        case .slowest: EncodedList(self, SlowRow.rows(observed, history, &source.ids))
        case .edges: EncodedList(self, EdgeRow.rows(observed, history, &source.ids))
        case .policies: EncodedList(self, FactRow.rows(observed.policies, &source.ids.policies))
        case .instances: EncodedList(self, InstanceRow.rows(observed, history, source.ids.components))
        case .capabilities: EncodedList(self, CapabilityRow.rows(observed, history, source.ids.components))
        case .signals: EncodedList(self, SignalRow.rows(observed, &source.ids))
        }
    }
}

/// What the rows of all lists are made of: what was observed, the history, and what was found. The ids alone are remembered
/// from one time to the next.
struct RowSource: Sendable {
    let observed: Observation
    let history: History
    var problems: [ProblemRow] = []
    var events: [EventRow] = []
    var ids: RowIDs
}

extension [EncodedList] {
    /// The lists with what a reader of ticks keeps up to date by itself: the sparks, and the columns of the heat maps.
    func completed(by history: History) -> [EncodedList] {
        map { list in
            switch list.kind {
            case .components:
                list.replacing("spark") { id in
                    .json { json in json.list(history.sparks.rates(ofComponent: id)) { $0.number($1) } }
                }
            case .latency:
                list.replacing("fine") { id in LatencyRow.value(history.heatMaps.maps[id]?.fine) }
                    .replacing("coarse") { id in LatencyRow.value(history.heatMaps.maps[id]?.coarse) }
            default: list
            }
        }
    }
}
