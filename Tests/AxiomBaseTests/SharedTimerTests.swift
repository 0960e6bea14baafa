// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomBase

@Suite("The shared timer", .timeLimit(.minutes(10)))
struct SharedTimerTests {
    /// What was called, and when.
    private final class Log: Sendable {
        private let calls = Lock<[Int: [Instant]]>([:])

        func called(_ number: Int) { calls.withLock { $0[number, default: []].append(TimeSource.live.now) } }
        var all: [Int: [Instant]] { calls.withLock { $0 } }
    }

    @Test("Each entry that was not removed is called once, and not before its instant", arguments: 1...3)
    func calls(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (timer, log, start) = (SharedTimer(), Log(), TimeSource.live.now)
        var kept: [Int: Instant] = [:]
        for number in 0..<500 {
            // Also such as are over.
            let instant = start.advanced(by: .microseconds(random.index(below: 60_000) - 5_000))
            let entry = timer.add(at: instant) { log.called(number) }
            kept[number] = instant
            if random.index(below: 2) == 0, timer.remove(entry) { kept[number] = nil }
        }
        let end = OneShot<Void>()
        _ = timer.add(at: start.advanced(by: .milliseconds(200))) { end.settle(()) }
        await end.value
        let all = log.all
        #expect(Set(all.keys) == Set(kept.keys), "seed \(seed)")
        #expect(all.allSatisfy { number, times in times.count == 1 && times[0] >= kept[number, default: start] })
        #expect(timer.count == 0)
    }

    @Test("An entry that is earlier than the one for which the timer sleeps does not wait for it")
    func earlier() async {
        let (timer, soon) = (SharedTimer(), OneShot<Void>())
        let late = timer.add(at: TimeSource.live.now.advanced(by: .seconds(3_600))) {}
        _ = timer.add(at: TimeSource.live.now.advanced(by: .milliseconds(2))) { soon.settle(()) }
        await soon.value
        #expect(timer.count == 1)
        timer.remove(late)
    }

    @Test("Entries that were removed take no room: at most as many as the others, and 64")
    func compaction() {
        var random = SeededGenerator(seed: 7)
        let (timer, hour) = (SharedTimer(), TimeSource.live.now.advanced(by: .seconds(3_600)))
        var waiting: [SharedTimer.Entry] = []
        for _ in 0..<20_000 {
            if waiting.isEmpty || random.index(below: 100) < 50 {
                waiting.append(timer.add(at: hour.advanced(by: .milliseconds(random.index(below: 1_000)))) {})
            } else {
                timer.remove(waiting.remove(at: random.index(below: waiting.count)))
            }
            #expect(timer.count <= 2 * waiting.count + 65)
        }
        for entry in waiting { timer.remove(entry) }
        #expect(timer.count <= 65)
    }

    @Test("What an entry captures is released when it is removed, and not at its instant")
    func release() {
        final class Captured: Sendable {}
        var captured: Captured? = Captured()
        weak let released = captured
        let timer = SharedTimer()
        let entry = timer.add(at: TimeSource.live.now.advanced(by: .seconds(3_600))) { [captured] in _ = captured }
        captured = nil
        #expect(released != nil)
        timer.remove(entry)
        #expect(released == nil && timer.count == 1)
    }
}
