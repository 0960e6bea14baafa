// SPDX-License-Identifier: Apache-2.0

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
