// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

// Actions of developers. Carrying one out may run observers of a breaker, which is code of the application; no lock is held.
extension Dashboard {
    /// The actions that are in force, and the latest uses.
    package func listActions() -> StateAnswer {
        guard let control else { return notAllowed }
        return StateAnswer(ActionDocuments(origin: origin).list(control).bytes)
    }

    /// Carries out the action that the body of a request describes.
    package func perform(_ subject: ActionSubject, _ body: [UInt8]) -> StateAnswer {
        guard let control else { return notAllowed }
        do throws(QueryError) {
            let action = try ActionDecoder.action(subject, body)
            do throws(ActionRefusal) {
                let done = try control.perform(action)
                return StateAnswer(JSONText.object { $0.member("done", done) }.bytes)
            } catch {
                return StateAnswer(404, error.message)
            }
        } catch {
            return StateAnswer(error.json, status: 400)
        }
    }

    /// Calls `listener` with a sentence for each use and each end of an action.
    package func onAction(_ listener: @escaping @Sendable (String) -> Void) {
        control?.onUse { listener($0.sentence) }
    }

    private var control: ActionControl? { features.contains(.allowsActions) ? readings.developerActions : nil }

    private var notAllowed: StateAnswer { StateAnswer(404, refusal(of: .allowsActions)) }
}

/// Writes what developers did in JSON, as `Dashboards/web/actions-1.schema.json` describes it.
private struct ActionDocuments {
    let origin: DocumentOrigin

    /// The actions in force, and the latest uses, the latest first.
    func list(_ control: ActionControl) -> JSONText {
        origin.document("axiom/actions") { json in
            json.member("inForce") { json in json.list(control.inForce) { write($1, &$0) } }
            json.member("uses") { json in json.list(control.uses.reversed()) { write($1, &$0) } }
        }
    }

    private func write(_ action: ActionInForce, _ json: inout JSONText) {
        json.object { json in
            json.member("component", action.action.component)
            json.member("part", action.part.rawValue)
            json.member("since", origin.moment(action.since))
            json.member("until", origin.moment(action.until))
            json.member("text", action.sentence)
        }
    }

    private func write(_ use: ActionUse, _ json: inout JSONText) {
        json.object { json in
            json.member("id", use.id)
            json.member("kind", use.kind.rawValue)
            json.member("component", use.component)
            json.member("at", origin.moment(use.at))
            json.member("text", use.sentence)
        }
    }
}
