// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics

extension Snapshot {
    /// How often a client's action ended, by outcome.
    func outcomes(client: String, _ action: String) -> [String: Double] {
        outcomes("axiom_client_actions_total", ["client": client, "action": action])
    }

    /// How often a context's action ended, by outcome.
    func outcomes(context: String, _ action: String) -> [String: Double] {
        outcomes("axiom_context_actions_total", ["context": context, "action": action])
    }

    private func outcomes(_ name: String, _ labels: [String: String]) -> [String: Double] {
        var outcomes: [String: Double] = [:]
        for series in family(name).map(Array.init) ?? []
        where labels.allSatisfy({ series.labels[$0.key] == $0.value }) {
            outcomes[series.labels["outcome"]] = series.value
        }
        return outcomes
    }

    /// The value of a family of components.
    func component(_ name: String, _ kind: String, _ component: String) -> Double? {
        value("axiom_component_" + name, ["kind": kind, "component": component])
    }
}
