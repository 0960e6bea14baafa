// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What the components of one orchestrator share: where they report, and what time it is.
final class InstrumentationPort: Sendable {
    let instrumentation: any Instrumentation
    let clock: TimeSource
    /// Whether the orchestrator was accepted and has reported no end since. Changed by ``Hooks`` alone, on the main actor;
    /// relaxed, as it orders nothing else.
    let isObserved = Atomic(false)

    init(_ instrumentation: any Instrumentation, clock: TimeSource) {
        self.instrumentation = instrumentation
        self.clock = clock
    }
}
