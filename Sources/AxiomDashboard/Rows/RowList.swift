// SPDX-License-Identifier: Apache-2.0

/// One of the snapshot's lists, such as `components`: rows of one shape, each with a number that stays for the run.
struct RowList: Sendable {
    let kind: ListKind
    var rows: [Row] = []
}

/// One row.
struct Row: Sendable, Hashable {
    let id: Int
    /// In the order of the list's fields.
    var values: [Value]
}

/// The lists of a snapshot, in the order in which they stand in a tick when there is not room for all.
enum ListKind: Int, CaseIterable, Sendable {
    case problems, circuits, latency, events, budgets, errors, regressions, runtime, telemetry
    case components, calls, slowest, edges, policies, instances

    var name: String { "\(self)" }

    /// Whether its changes go before all others.
    var isUrgent: Bool { rawValue <= ListKind.events.rawValue }

    /// The fields of a row beside its `id`.
    var fields: [String] { Self.allFields[rawValue] }

    /// Fields that are told with a new row only, because the reader keeps them up to date by itself.
    var toldOnce: Set<String> {
        switch self {
        case .components: ["spark"]
        case .latency: ["fine", "coarse"]
        default: []
        }
    }

    /// Long fields that change often and are told of each row every tenth tick only, not of all rows at once.
    var toldSeldom: Set<String> {
        switch self {
        case .circuits: ["lastError"]
        case .budgets: ["worst"]
        case .errors: ["sample"]
        case .components: ["lifetime"]
        default: []
        }
    }

    private static let allFields: [[String]] = [
        ["kind", "panel", "component", "text", "at", "ended"],
        [
            "name", "component", "state", "shadow", "wouldBeOpen", "since", "until", "failureRatio",
            "failureThreshold", "slowRatio", "slowThreshold", "windowCalls", "minimumCalls", "windowSize",
            "permitsUsed", "permits", "rejected", "rejectedRate", "shadowRejections", "lastError", "transitions",
        ],
        ["component", "action", "limit", "fine", "coarse"],
        ["at", "kind", "severity", "component", "text"],
        [
            "name", "unit", "limit", "status", "note", "objective", "checks", "violations", "within", "p99", "burn",
            "spark", "worst",
        ],
        ["component", "code", "severity", "count", "first", "last", "recovered", "sample"],
        ["component", "action", "percentile", "verdict", "baseline", "current", "ratio", "requests", "reason"],
        ["name", "value", "unit"],
        ["name", "value", "unit"],
        [
            "kind", "name", "module", "live", "created", "ended", "leaks", "restarts", "lifetime", "calls", "errors",
            "rate", "errorRatio", "inFlight", "p50", "p90", "p99", "budget", "spark",
        ],
        [
            "component", "action", "success", "failure", "cancelled", "rejected", "rate", "inFlight", "p50", "p90",
            "p99",
        ],
        ["component", "action", "seconds", "at", "outcome", "trace"],
        ["from", "to", "calls", "rate", "errors", "forbidden", "note"],
        ["name", "value", "unit"],
        ["component", "start", "end", "how"],
    ]
}

extension Row {
    /// The whole row, or of a row that the reader knows the fields at `places`. Fields without a value are left out of a
    /// whole row; `null` takes back what was said.
    func write(_ kind: ListKind, _ places: [Int]?, to json: inout JSONText) {
        json.raw("{\"id\":" as StaticString)
        json.integer(id)
        for place in places ?? Array(values.indices) where places != nil || values[place] != .none {
            json.comma()
            json.key(kind.fields[place])
            values[place].write(to: &json)
        }
        json.raw("}" as StaticString)
    }
}
