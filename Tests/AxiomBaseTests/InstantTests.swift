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

    @Test("Durations at the ends of the representable range, and far beyond, are clamped and have seconds")
    func extremes() {
        let longest = Duration.nanoseconds(Int64.max)
        #expect(longest.clampedNanoseconds == .max && (longest + .nanoseconds(1)).clampedNanoseconds == .max)
        #expect((longest - .nanoseconds(1)).clampedNanoseconds == .max - 1)
        let shortest = Duration.nanoseconds(Int64.min)
        #expect(shortest.clampedNanoseconds == .min && (shortest - .nanoseconds(1)).clampedNanoseconds == .min)
        #expect((shortest + .nanoseconds(1)).clampedNanoseconds == .min + 1)
        // More seconds than an Int64 has: the components of such a duration trap.
        let huge = Duration.seconds(Int64.max) + .seconds(Int64.max)
        #expect(huge.clampedNanoseconds == .max && (.zero - huge).clampedNanoseconds == .min)
        #expect(huge.inSeconds == 0x1p64 && (.zero - huge).inSeconds == -0x1p64)
        #expect(Instant(nanoseconds: 1).advanced(by: huge).nanoseconds == .max)
        #expect(Instant(nanoseconds: -1).advanced(by: .zero - huge).nanoseconds == .min)
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
