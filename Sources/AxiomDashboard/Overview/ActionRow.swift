// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Overview {
    /// One action of one client or context.
    struct ActionRow: Sendable {
        /// `client` or `context`.
        let kind: String
        /// The name of the client or context.
        let component: String
        /// The name of the action's case.
        let action: String
        /// How many calls have ended, by outcome.
        let calls: [String: Double]
        /// How long they took, in seconds.
        let latency: LatencySummary

        /// How many calls have ended.
        var total: Double {
            calls.values.reduce(0, +)
        }

        /// The share of calls that failed, 0...1, of those that were neither cancelled nor rejected; nil when there
        /// are none.
        var errorRate: Double? {
            let failures = calls["failure", default: 0]
            let judged = failures + calls["success", default: 0]
            return judged > 0 ? failures / judged : nil
        }

        static func rows(_ snapshot: Snapshot) -> [ActionRow] {
            (rows(snapshot, kind: "client") + rows(snapshot, kind: "context"))
                .filter { $0.total > 0 }
                .sorted { $0.isSlower(than: $1) }
        }

        private static func rows(_ snapshot: Snapshot, kind: String) -> [ActionRow] {
            var calls: [String: [String: [String: Double]]] = [:]
            for series in snapshot.series("axiom_\(kind)_actions_total") {
                let labels = series.labels.dictionary
                calls[labels[kind] ?? "", default: [:]][labels["action"] ?? "", default: [:]][
                    labels["outcome"] ?? ""
                ] = series.value
            }
            return snapshot.latencies("axiom_\(kind)_action_duration_seconds").map { labels, latency in
                let (component, action) = (labels[kind], labels["action"])
                return ActionRow(
                    kind: kind,
                    component: component,
                    action: action,
                    calls: calls[component]?[action] ?? [:],
                    latency: latency
                )
            }
        }

        /// By the 99th percentile; what lies beyond the last bound is slowest, and names decide among equals.
        private func isSlower(than other: ActionRow) -> Bool {
            let (mine, theirs) = (latency.p99?.value ?? 0, other.latency.p99?.value ?? 0)
            return mine == theirs ? (component, action) < (other.component, other.action) : mine > theirs
        }
    }
}
