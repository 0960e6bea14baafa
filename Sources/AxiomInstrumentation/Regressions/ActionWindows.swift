// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The handles of one component's actions in the windows.
final class ActionWindows: Sendable {
    private let component: ComponentDescriptor
    private let recorder: WindowRecorder
    /// By the index of the action's case.
    private let durations: HandleTable<ExponentialHistogram>

    init(_ component: ComponentDescriptor, actions: [String], _ recorder: WindowRecorder) {
        self.component = component
        self.recorder = recorder
        durations = HandleTable(actions.map { recorder.durations(of: TimedOperation(component, $0)) })
    }

    /// `caseIndex` must be one of the actions'.
    func observe(caseIndex: Int, nanoseconds: Int64) {
        durations.use(at: caseIndex) { $0.observe(nanoseconds: nanoseconds) }
    }

    /// Observes an action whose index is wrong.
    func observeOther(nanoseconds: Int64) {
        recorder.durations(of: TimedOperation(component, ActionRecorder.otherAction)).observe(nanoseconds: nanoseconds)
    }
}
