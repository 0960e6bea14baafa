// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Overview {
    /// One kind of error of one component.
    struct ErrorRow: Sendable {
        /// The component in which it arose.
        let component: String
        /// The error's code.
        let code: String
        /// How much harm it does.
        let severity: String
        /// How many have ended at a boundary.
        let count: Double

        static func rows(_ snapshot: Snapshot) -> [ErrorRow] {
            snapshot.series("axiom_errors_total").map { series in
                let labels = series.labels
                return ErrorRow(
                    component: labels["component"],
                    code: labels["code"],
                    severity: labels["severity"],
                    count: series.value
                )
            }
            .filter { $0.count > 0 }
            .sorted { ($1.count, $0.component, $0.code) < ($0.count, $1.component, $1.code) }
        }
    }
}
