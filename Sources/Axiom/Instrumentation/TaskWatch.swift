// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Times the start and the cancellation of one task of a context.
///
/// On the main actor, as the task is: what it does at its end is ordered with the cancellation.
@MainActor
final class TaskWatch {
    #if Instrumented
    private let probe: (any ContextProbe)?
    private let clock: TimeSource
    private let madeAt: Instant
    private var cancelledAt: Instant?
    #endif

    init(_ probe: (any ContextProbe)?, _ clock: TimeSource) {
        #if Instrumented
        self.probe = probe
        self.clock = clock
        madeAt = clock.now
        #endif
    }

    /// The task takes its first step.
    func began() {
        #if Instrumented
        if let probe { Hooks.operationEnded(.taskStartup, since: madeAt, probe, clock) }
        #endif
    }

    /// The task was cancelled.
    func cancelled() {
        #if Instrumented
        cancelledAt = clock.now
        #endif
    }

    /// The task takes its last step.
    func ended() {
        #if Instrumented
        if let probe, let cancelledAt { Hooks.operationEnded(.cancellation, since: cancelledAt, probe, clock) }
        #endif
    }
}
