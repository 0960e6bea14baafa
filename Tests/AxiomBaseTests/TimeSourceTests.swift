// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@Suite("The clock", .timeLimit(.minutes(10)))
struct TimeSourceTests {
    @Test("Code that takes any clock measures with it, to the nanosecond")
    func anyClock() async {
        let time = ManualTime()
        let clock: any Clock<Duration> = TimeSource.manual(time)
        #expect(clock.minimumResolution == .nanoseconds(1))
        #expect(clock.measure { time.advance(by: .nanoseconds(1)) } == .nanoseconds(1))
    }
}
