// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Overview {
    /// One component type.
    struct ComponentRow: Sendable {
        /// Capability, client, context, orchestrator or presentation.
        let kind: String
        /// The name of the type.
        let name: String
        /// How many live now.
        let live: Double
        /// How many were made.
        let created: Double
        /// How many have ended.
        let ended: Double
        /// How many live that should have ended.
        let leakSuspects: Double
        /// How long those lived that have ended, in seconds.
        let lifetime: LatencySummary

        /// Those with leak suspects come first, and then those of which most were made.
        static func rows(_ snapshot: Snapshot) -> [ComponentRow] {
            let created = snapshot.values("axiom_component_created_total")
            let ended = snapshot.values("axiom_component_destroyed_total")
            let suspects = snapshot.values("axiom_component_leak_suspects")
            let lifetimes = snapshot.latencies("axiom_component_lifetime_seconds")
            return snapshot.series("axiom_component_live").map { series in
                let labels = series.labels
                return ComponentRow(
                    kind: labels["kind"],
                    name: labels["component"],
                    live: series.value,
                    created: created[labels] ?? 0,
                    ended: ended[labels] ?? 0,
                    leakSuspects: suspects[labels] ?? 0,
                    lifetime: lifetimes[labels] ?? LatencySummary()
                )
            }
            .sorted {
                ($1.leakSuspects, $1.created, $0.kind, $0.name) < ($0.leakSuspects, $0.created, $1.kind, $1.name)
            }
        }
    }
}
