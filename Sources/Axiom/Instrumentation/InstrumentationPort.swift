// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What the components of one orchestrator share: where they report, what time it is, and how long the framework waits
/// for them.
final class InstrumentationPort: Sendable {
    let instrumentation: any Instrumentation
    let clock: TimeSource
    /// Whether the orchestrator was accepted and has reported no end since. Changed by ``Hooks`` alone, on the main actor;
    /// relaxed, as it orders nothing else.
    let isObserved = Atomic(false)
    let limits: WaitLimits

    init(_ instrumentation: any Instrumentation, clock: TimeSource, limits: WaitLimits = WaitLimits()) {
        self.instrumentation = instrumentation
        self.clock = clock
        self.limits = limits
    }

    /// The limit of one wait for `component`.
    func limit(_ operation: TurnOperation, of component: ComponentDescriptor) -> WaitLimit {
        WaitLimit(TurnSubject(operation, of: component), limits, clock: clock)
    }
}
