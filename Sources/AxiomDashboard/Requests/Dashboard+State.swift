// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import Foundation

/// The answer to a request for states or for an action.
package struct StateAnswer: Sendable {
    /// The status of HTTP: 200, 400 or 404.
    package let status: Int
    package let json: [UInt8]

    init(_ json: [UInt8], status: Int = 200) { (self.status, self.json) = (status, json) }

    /// An answer that says what is wrong.
    init(_ status: Int, _ error: String) { self.init(JSONText.error(error).bytes, status: status) }
}

// The states of clients, as `Dashboards/web/state-1.schema.json` describes them. Making an answer renders states, which runs
// code of the application; no lock is held.
extension Dashboard {
    /// All clients with a state, or those of one name.
    package func states(of component: String? = nil) -> StateAnswer {
        guard let inspector else { return notInspected }
        let stores = inspector.stores().filter { component == nil || $0.client.name == component }
        return StateAnswer(StateJSON(origin: origin).list(stores, inspector.keptCounts).bytes)
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
            let value = update.clipped(100)
            return StateAnswer(400, "The parameter update is \(value); it has to be the number of an update.")
        }
        guard let store = Int(id), let state = inspector.state(of: store, update: number) else {
            let kept = update.map { ", or it does not keep update \($0)" } ?? ""
            return StateAnswer(404, "There is no state\(kept) with the id \(id.clipped(100)).")
        }
        return StateAnswer(StateJSON(origin: origin).state(state).bytes)
    }

    /// The actions of contexts since the start, as a Swift test; nil unless they are recorded.
    package var recordedTest: String? {
        guard features.contains(.recordsPayloads) else { return nil }
        return readings.recordedScenario.test(named: "\(name), recorded from the dashboard")
    }

    /// Says why a request that needs a feature is refused, and what to do.
    package func refusal(of feature: DashboardFeature) -> String { feature.refusal(by: readings) }

    private var inspector: StateInspector? { features.contains(.inspectsState) ? readings.inspector : nil }

    private var notInspected: StateAnswer { StateAnswer(404, refusal(of: .inspectsState)) }

    // MARK: - The inspection

    /// The orchestrator's inspection, as `Dashboards/web/inspection-1.schema.json` describes it. Waits at most 5 s for the
    /// main actor. Runs no code of the application.
    package func inspection() async -> StateAnswer {
        switch await readings.inspections.inspection() {
        case .noOrchestrator: return StateAnswer(404, "No orchestrator with this telemetry was started.")
        case .busy: return StateAnswer(503, "The main actor did not answer within 5 s.")
        case .inspected(let inspection): return answer(inspection)
        }
    }

    private func answer(_ inspection: Inspection) -> StateAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(inspection) else {
            return StateAnswer(500, "The inspection could not be encoded.")
        }
        return StateAnswer(
            JSONText.document("axiom/inspection", of: instance) { $0.member("inspection", json: data) }.bytes
        )
    }
}
