// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import Foundation

extension Dashboard {
    /// The orchestrator's inspection, as `Dashboards/web/inspection-1.schema.json` describes it. Waits at most 5 s for the
    /// main actor. Runs no code of the application.
    package func inspection() async -> StateAnswer {
        guard let source = readings?.inspections else {
            return StateAnswer(404, "There is no telemetry, so no orchestrator is known.")
        }
        switch await source.inspection() {
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
        var json = JSONText()
        json.raw("{\"schema\":\"axiom/inspection\",\"version\":1,\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"inspection\":" as StaticString)
        json.raw(data)
        json.raw("}" as StaticString)
        return StateAnswer(json)
    }
}
