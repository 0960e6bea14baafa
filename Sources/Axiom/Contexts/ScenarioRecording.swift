// SPDX-License-Identifier: Apache-2.0

/// Keeps what the actions of contexts contain, while a recording runs. Bound once for each orchestrator.
package protocol ScenarioRecording: AnyObject, Sendable {
    /// Read before each action of a context.
    var recording: InspectionSwitch { get }

    /// An action begins that no other action sent, and ``recording`` is on.
    ///
    /// - Returns: The number of the action, for ``ended(_:_:_:)``; nil if it is not kept.
    @MainActor func began(_ action: some Action, in context: any Context) -> Int?

    /// The action has ended.
    ///
    /// - Parameter error: What ended at the context's boundary; nil after a success.
    @MainActor func ended(_ number: Int, _ outcome: ActionOutcome, _ error: (any Error)?)
}

/// An observer that keeps actions. Of several observers of one orchestrator, the first one does.
package protocol ScenarioObserver: Sendable {
    /// Nil if nothing keeps actions.
    var scenarioRecording: (any ScenarioRecording)? { get }
}

/// An action that is being recorded.
@MainActor
struct RecordedAction {
    let recorder: any ScenarioRecording
    let number: Int
    /// The number of the next error of the context.
    let nextError: Int

    func end(_ outcome: ActionOutcome, at boundary: ErrorBoundary) {
        let settled = boundary.history.first { $0.id >= nextError && !$0.resolution.isRecovered }
        recorder.ended(number, outcome, outcome == .success ? nil : settled?.error)
    }
}

extension ContextRuntime {
    /// Notes the beginning of an action, if a recording runs and no other operation sent the action: a replay of that
    /// operation sends it again.
    func record<C: Context>(_ action: C.ActionType, in context: C) -> RecordedAction? {
        guard let recorder = port.scenarioRecording, recorder.recording.isOn, ErrorTrail.current == nil else {
            return nil
        }
        let nextError = boundary.historyDropped + boundary.history.count
        return recorder.began(action, in: context).map {
            RecordedAction(recorder: recorder, number: $0, nextError: nextError)
        }
    }
}
