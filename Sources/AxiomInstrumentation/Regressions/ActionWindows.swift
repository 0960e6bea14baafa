// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The window histograms of one component's actions.
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

    /// Observes an action. `caseIndex` must be a valid index of its cases.
    func observe(caseIndex: Int, nanoseconds: Int64) {
        durations.use(at: caseIndex) { $0.observe(nanoseconds: nanoseconds) }
    }

    /// Observes an action with an invalid index.
    func observeOther(nanoseconds: Int64) {
        recorder.durations(of: TimedOperation(component, ActionRecorder.otherAction)).observe(nanoseconds: nanoseconds)
    }
}
