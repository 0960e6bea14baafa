// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Times the start and the cancellation of an observation's task.
///
/// On the main actor, like the task: this orders the task's last step with the cancellation.
@MainActor
final class ObservationTimer {
    private let reporter: ContextReporter?
    private let clock: TimeSource
    /// nil if nothing is reported.
    private let madeAt: Instant?
    private var cancelledAt: Instant?

    init(_ reporter: ContextReporter?, _ clock: TimeSource) {
        self.reporter = reporter
        self.clock = clock
        madeAt = reporter == nil ? nil : clock.now
    }

    /// Call when the task takes its first step.
    func began() {
        if let madeAt { reporter?.operationEnded(.taskStartup, since: madeAt, clock) }
    }

    /// Call when the task was cancelled.
    func cancelled() {
        if reporter != nil { cancelledAt = clock.now }
    }

    /// Call when the task takes its last step.
    func ended() {
        if let cancelledAt { reporter?.operationEnded(.cancellation, since: cancelledAt, clock) }
    }
}
