// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

/// Writes what developers did in JSON, as `Dashboards/web/actions-1.schema.json` describes it.
struct ActionDocuments {
    private let instance: String
    private let grid: TimeGrid
    private let now: Instant

    init(_ timing: (instance: String, grid: TimeGrid, now: Instant)) {
        (instance, grid, now) = timing
    }

    /// The actions in force, and the latest uses, the latest first.
    func list(_ control: ActionControl) -> JSONText {
        let inForce = control.inForce
        var json = JSONText(capacity: 1_024)
        json.raw("{\"schema\":\"axiom/actions\",\"version\":1,\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"at\":" as StaticString)
        moment(now, &json)
        json.raw(",\"inForce\":" as StaticString)
        json.list(inForce) { write($1, &$0) }
        json.raw(",\"uses\":" as StaticString)
        json.list(control.uses.reversed()) { write($1, &$0) }
        json.raw("}" as StaticString)
        return json
    }

    /// The answer to an action that was carried out.
    static func done(_ sentence: String) -> JSONText {
        var json = JSONText()
        json.raw("{\"done\":" as StaticString)
        json.string(sentence)
        json.raw("}" as StaticString)
        return json
    }

    private func write(_ action: ActionInForce, _ json: inout JSONText) {
        json.raw("{\"component\":" as StaticString)
        json.string(action.action.component)
        json.raw(",\"part\":" as StaticString)
        json.string(action.part.rawValue)
        json.raw(",\"since\":" as StaticString)
        moment(action.since, &json)
        json.raw(",\"until\":" as StaticString)
        moment(action.until, &json)
        json.raw(",\"text\":" as StaticString)
        json.string(action.sentence)
        json.raw("}" as StaticString)
    }

    private func write(_ use: ActionUse, _ json: inout JSONText) {
        json.raw("{\"id\":" as StaticString)
        json.integer(use.id)
        json.raw(",\"kind\":" as StaticString)
        json.string(use.kind.rawValue)
        json.raw(",\"component\":" as StaticString)
        json.string(use.component)
        json.raw(",\"at\":" as StaticString)
        moment(use.at, &json)
        json.raw(",\"text\":" as StaticString)
        json.string(use.sentence)
        json.raw("}" as StaticString)
    }

    private func moment(_ instant: Instant, _ json: inout JSONText) {
        Value.moment(grid.seconds(instant)).write(to: &json)
    }
}
