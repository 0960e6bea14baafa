// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@Suite("Instants and durations")
struct InstantTests {
    @Test("Advancing past the representable range is clamped")
    func saturates() {
        #expect(Instant(nanoseconds: 1).advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(Instant(nanoseconds: -1).advanced(by: .seconds(Int64.min)).nanoseconds == .min)
    }

    @Test(
        "Nanoseconds survive the conversion into a Duration and back",
        arguments: [0, 1, -1, 999_999_999, -1_000_000_001]
    )
    func roundTrip(nanoseconds: Int64) {
        #expect(Duration.nanoseconds(nanoseconds).clampedNanoseconds == nanoseconds)
        let start = Instant(nanoseconds: 77)
        #expect(start.advanced(by: .nanoseconds(nanoseconds)).nanoseconds(since: start) == nanoseconds)
    }

    @Test("A duration in seconds keeps its sign and its fraction")
    func seconds() {
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-250).inSeconds == -0.25)
    }

    @Test("The live clock never goes back")
    func monotonic() {
        var last = TimeSource.live.now
        for _ in 0..<10_000 {
            let now = TimeSource.live.now
            #expect(now >= last)
            last = now
        }
    }
}
