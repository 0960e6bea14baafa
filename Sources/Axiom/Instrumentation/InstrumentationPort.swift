// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What the components of one orchestrator share: where they report, and what time it is.
final class InstrumentationPort: Sendable {
    let instrumentation: any Instrumentation
    let clock: TimeSource

    init(_ instrumentation: any Instrumentation, clock: TimeSource) {
        self.instrumentation = instrumentation
        self.clock = clock
    }
}
