// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// The answer to a request for states or for an action.
package struct StateAnswer: Sendable {
    /// The status of HTTP: 200, 400 or 404.
    package let status: Int
    package let json: [UInt8]

    init(_ json: JSONText) {
        (status, self.json) = (200, json.bytes)
    }

    init(_ status: Int, json: [UInt8]) {
        (self.status, self.json) = (status, json)
    }

    /// An answer that says what is wrong.
    init(_ status: Int, _ error: String) {
        var json = JSONText()
        json.raw("{\"error\":" as StaticString)
        json.string(error)
        json.raw("}" as StaticString)
        (self.status, self.json) = (status, json.bytes)
    }
}

// The states of clients, as `Dashboards/web/state-1.schema.json` describes them. Making an answer renders states, which runs
// code of the application; no lock is held.
extension Dashboard {
    /// All clients with a state, or those of one name.
    package func states(of component: String? = nil) -> StateAnswer {
        guard let inspector else { return notInspected }
        let stores = inspector.stores().filter { component == nil || $0.client.name == component }
        return StateAnswer(StateJSON(timing).list(stores, inspector.keptCounts))
    }

    /// The state of a client as a tree, with what changed in its latest update, and the updates that are kept.
    ///
    /// - Parameters:
    ///   - id: The id from ``states(of:)``.
    ///   - update: The number of a kept update; nil for the current state.
    package func state(_ id: String, update: String? = nil) -> StateAnswer {
        guard let inspector else { return notInspected }
        let number = update.flatMap { UInt64($0) }
        if let update, number == nil {
            return StateAnswer(
                400,
                "The parameter update is \(update.clipped(100)); it has to be the number of an update."
            )
        }
        guard let store = Int(id), let state = inspector.state(of: store, update: number) else {
            let what =
                update == nil ? "There is no state" : "There is no state, or it does not keep update \(update ?? "")"
            return StateAnswer(404, "\(what) with the id \(id.clipped(100)).")
        }
        return StateAnswer(StateJSON(timing).state(state))
    }

    /// The actions of contexts since the start, as a Swift test; nil unless they are recorded.
    package var recordedTest: String? {
        guard features.contains(.recordsPayloads) else { return nil }
        return readings?.recordedScenario.test(named: "\(name), recorded from the dashboard")
    }

    private var inspector: StateInspector? { features.contains(.inspectsState) ? readings?.inspector : nil }

    private var notInspected: StateAnswer {
        guard let readings else { return StateAnswer(404, "States are served only for a Telemetry.") }
        guard readings.isInstrumented else {
            return StateAnswer(404, "States are inspected only in a build with the package trait Instrumented.")
        }
        return StateAnswer(404, "States are not inspected. Set DashboardOptions(inspectsState: true).")
    }
}
