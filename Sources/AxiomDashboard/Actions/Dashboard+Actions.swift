// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

// Actions of developers. Carrying one out may run observers of a breaker, which is code of the application; no lock is held.
extension Dashboard {
    /// The actions that are in force, and the latest uses.
    package func listActions() -> StateAnswer {
        guard let control else { return notAllowed }
        return StateAnswer(ActionDocuments(timing).list(control))
    }

    /// Carries out the action that the body of a request describes.
    package func perform(_ subject: ActionSubject, _ body: [UInt8]) -> StateAnswer {
        guard let control else { return notAllowed }
        do throws(QueryError) {
            let action = try ActionDecoder.action(subject, body)
            do throws(ActionRefusal) {
                return StateAnswer(ActionDocuments.done(try control.perform(action)))
            } catch {
                return StateAnswer(404, error.message)
            }
        } catch {
            return StateAnswer(400, json: error.json)
        }
    }

    /// Calls `listener` with a sentence for each use and each end of an action.
    package func onAction(_ listener: @escaping @Sendable (String) -> Void) {
        control?.onUse { listener($0.sentence) }
    }

    private var control: ActionControl? { features.contains(.allowsActions) ? readings?.developerActions : nil }

    private var notAllowed: StateAnswer {
        guard let readings else { return StateAnswer(404, "Actions are served only for a Telemetry.") }
        guard readings.isInstrumented else {
            return StateAnswer(404, "Actions are allowed only in a build with the package trait Instrumented.")
        }
        return StateAnswer(404, "Actions are not allowed. Set DashboardOptions(allowsActions: true) and a token.")
    }
}
