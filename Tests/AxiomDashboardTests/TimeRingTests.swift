// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("The rings of the history")
struct TimeRingTests {
    @Test("Whatever the clock does, a ring holds what a slow reference holds", arguments: 0..<12 as Range<UInt64>)
    func model(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = Int.random(in: 1...12, using: &random)
        let step = Double(Int.random(in: 1...10, using: &random))
        var ring = TimeRing<Int>(step: step, capacity: capacity)
        var reference: [(begin: Double, value: Int?)] = []
        var now = 0.0
        for value in 0..<200 {
            let leap =
                [0, 1, 1, 1, 1, 2, 5, capacity, 2 * capacity, 3 * capacity, -1, -50].randomElement(using: &random) ?? 1
            now += Double(leap) * step
            // The slow reference: one entry for each step, the oldest dropped.
            if let last = reference.last, let first = reference.first, now >= last.begin,
                now < first.begin + Double(reference.count + capacity) * step
            {
                var begin = last.begin + step
                while begin < now {
                    reference.append((begin, nil))
                    begin += step
                }
                if now == last.begin {
                    reference[reference.count - 1].value = value
                } else {
                    reference.append((now, value))
                }
            } else {
                reference = [(now, value)]
            }
            reference.removeFirst(max(0, reference.count - capacity))
            ring.put(value, at: now)
            #expect(ring.values == reference.map(\.value))
            #expect(ring.start == reference.first?.begin)
            #expect(ring.count <= capacity)
            #expect(ring.last == value)
            #expect(reference.map { ring.value(at: $0.begin) } == reference.map(\.value))
        }
    }

    @Test("A longer step has the highest level of its seconds, and the rates and percentiles of the whole step")
    func peaks() {
        var step = Point()
        for (series, value) in [(Point.Series.memory, 10.0), (.calls, 3), (.p99, 0.2)] { step.set(series, value) }
        let seconds = (0..<60).map { second -> Point? in
            guard second != 30 else { return nil }
            var point = Point()
            point.set(.memory, second == 17 ? 99 : 9)
            point.set(.threads, second == 59 ? 4 : nil)
            point.set(.calls, 500)
            point.set(.p99, 8)
            return point
        }
        step.keepPeaks(of: seconds)
        #expect(step[.memory] == 99)
        #expect(step[.threads] == 4)
        #expect(step[.live].isNaN)
        #expect(step[.calls] == 3)
        #expect(step[.p99] == 0.2)
    }
}
