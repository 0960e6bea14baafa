// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomResilience

@Suite("Windows of calls")
struct WindowTests {
    @Test("A time window is exact to the nanosecond while it holds 1,000 instants, as one that keeps every call is")
    func exactTimeWindow() {
        var dice = Dice(seed: 3)
        var window = TimeWindow(length: 10_000)
        var calls: [(Int64, CallMark)] = []
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...40, using: &dice)
            window.advance(to: now)
            let mark = CallMark(rawValue: UInt8.random(in: 0...3, using: &dice))
            window.add(mark, at: now)
            calls.append((now, mark))
            calls.removeAll { now - $0.0 >= 10_000 }
            guard window.tally == Self.tally(calls) else {
                Issue.record("\(window.tally) at \(now), but \(Self.tally(calls))")
                return
            }
        }
        #expect(calls.count > 300 && calls.count < 1_000)
    }

    @Test(
        "With more instants, calls stay for up to 1/512 of the length too long, none leaves early, and memory is bounded"
    )
    func denseTimeWindow() {
        let length: Int64 = 1 << 20
        var dice = Dice(seed: 4)
        var window = TimeWindow(length: length)
        var instants: [Int64] = []
        var oldest = 0
        var oldestOfLonger = 0
        var now: Int64 = 0
        var largest = 0
        for _ in 0..<60_000 {
            now += Int64.random(in: 1...100, using: &dice)
            window.advance(to: now)
            window.add([], at: now)
            instants.append(now)
            while now - instants[oldest] >= length { oldest += 1 }
            while now - instants[oldestOfLonger] >= length + length / 512 { oldestOfLonger += 1 }
            let range = (instants.count - oldest)...(instants.count - oldestOfLonger)
            guard range.contains(window.tally.calls) else {
                Issue.record("\(window.tally.calls) calls at \(now), not \(range)")
                return
            }
            largest = max(largest, window.entryCount)
        }
        #expect(instants.count - oldest > 10_000)
        #expect(largest > InstantRing.exactLimit && largest <= 2_048)
    }

    @Test("A count window holds the last calls, as a list does")
    func countWindow() {
        var dice = Dice(seed: 5)
        for size in [1, 2, 7, 100] {
            var window = CountWindow(size: size)
            var calls: [CallMark] = []
            for _ in 0..<1_000 {
                // Long runs of plain successes, which cost less.
                let isPlain = Int.random(in: 0..<10, using: &dice) > 0
                let mark = isPlain ? [] : CallMark(rawValue: UInt8.random(in: 0...3, using: &dice))
                window.add(mark)
                calls.append(mark)
                calls = calls.suffix(size)
                #expect(window.tally == Self.tally(calls.map { (0, $0) }))
                #expect(window.history == calls)
            }
        }
    }

    @Test("A window of one kind becomes one of the other and keeps its calls")
    func conversion() {
        var window = CallWindow(.calls(5))
        for mark in [CallMark.failure, [], .slow, [], [.failure, .slow], []] { window.add(mark, at: 10) }
        let tally = window.tally
        window.resize(to: .nanoseconds(100), at: 50)
        #expect(window.tally == tally)
        window.advance(to: 149)
        #expect(window.tally == tally)
        window.resize(to: .calls(9), at: 149)
        #expect(window.tally == tally)
        window.resize(to: .calls(2), at: 149)
        #expect(window.tally.calls == 2)
        window.resize(to: .nanoseconds(10), at: 149)
        window.advance(to: 159)
        #expect(window.tally == CallTally())
    }

    private static func tally(_ calls: [(Int64, CallMark)]) -> CallTally {
        var tally = CallTally()
        for call in calls { tally.add(call.1) }
        return tally
    }
}
