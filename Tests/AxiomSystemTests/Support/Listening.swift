// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomSystem

extension SystemEvents.Iterator {
    /// The next event of a source that reads by a period of `time`, which is advanced by one period.
    mutating func next(after period: Duration, of time: ManualTime) async throws -> CapabilityEvent? {
        async let advanced: Void = Self.advance(time, by: period)
        let event = try await next()
        await advanced
        return event
    }

    private static func advance(_ time: ManualTime, by period: Duration) async {
        await time.waitForSleepers(1)
        time.advance(by: period)
    }
}

/// What the machines of readings share, so that one test checks them all.
struct EventHistory {
    /// The events so far.
    private(set) var events: [CapabilityEvent] = []
    /// The number of times an event repeated the one before.
    private(set) var repetitions = 0

    /// Takes what a machine returned.
    mutating func take(_ event: CapabilityEvent?) {
        guard let event else { return }
        if event == events.last { repetitions += 1 }
        events.append(event)
    }
}
