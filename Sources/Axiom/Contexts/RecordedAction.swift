// SPDX-License-Identifier: Apache-2.0

/// An action that is being recorded.
@MainActor
struct RecordedAction {
    fileprivate let recorder: any ScenarioRecording
    fileprivate let number: Int

    func end(_ end: OperationEnd) {
        recorder.ended(number, end.outcome, end.outcome == .cancelled ? nil : end.error)
    }
}

extension ContextRuntime {
    /// Notes the beginning of an action, if a recording runs and no other operation sent the action: a replay of that
    /// operation sends it again.
    func record<C: Context>(_ action: C.ActionType, in context: C) -> RecordedAction? {
        guard let recorder = port.scenarioRecording, recorder.recording.isOn, ErrorTrail.current == nil else {
            return nil
        }
        return recorder.began(action, in: context).map { RecordedAction(recorder: recorder, number: $0) }
    }
}
