// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomBase

@Suite("Rolling windows")
struct RollingWindowTests {
    private func time(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1e9))
    }

    private func window(at start: Double = 0, capacity: Int = 5, origin: Double = 0) -> RollingWindow<Int> {
        RollingWindow(step: .seconds(10), capacity: capacity, empty: 0, origin: time(origin), at: time(start))
    }

    private func slots(_ window: RollingWindow<Int>, last count: Int, at seconds: Double) -> [Int] {
        var slots: [Int] = []
        window.forEach(inLast: count, at: time(seconds)) { slots.append($0) }
        return slots
    }

    @Test("Each step has its slot, and the last steps are read from the oldest to the newest")
    func steps() {
        var window = window()
        for step in 0..<4 {
            window.advance(to: time(Double(step) * 10 + 3))
            window.current = step + 1
        }
        #expect(slots(window, last: 5, at: 39) == [0, 1, 2, 3, 4])
        #expect(slots(window, last: 2, at: 39) == [3, 4])
        #expect(slots(window, last: 2, at: 41) == [4], "the step of the time itself is empty")
        #expect(slots(window, last: 5, at: 500) == [])
    }

    @Test("Skipped steps are empty, however far a jump goes")
    func jumps() {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for capacity in 1...12 {
            var (window, written, step) = (window(capacity: capacity), [Int: Int](), 0)
            for value in 1...100 {
                step += Int.random(in: 0...2 * capacity, using: &generator)
                window.advance(to: time(Double(step) * 10))
                window.current = value
                written[step] = value
                let expected = (step - capacity + 1...step).map { written[$0, default: 0] }
                #expect(slots(window, last: capacity, at: Double(step) * 10) == expected)
            }
        }
    }

    @Test("The ring has a slot for each step since the first change, up to its capacity", arguments: [1, 2, 5, 90])
    func growth(capacity: Int) {
        var window = window(capacity: capacity)
        window.advance(to: time(500))
        #expect(window.slots.isEmpty)
        for step in 0..<3 * capacity {
            let now = 500 + Double(step) * 10
            window.advance(to: time(now))
            window.current = step + 1
            #expect(window.slots.count == min(step + 1, capacity))
            // The allocator rounds up.
            #expect(window.slots.capacity <= min(capacity, 2 * window.slots.count) + 4)
            #expect(slots(window, last: capacity, at: now) == (step - capacity + 2...step + 1).map { max(0, $0) })
        }
    }

    @Test("A time before the newest step counts as the newest step")
    func earlier() {
        var window = window(at: 100)
        window.current = 7
        window.advance(to: time(20))
        window.current += 1
        #expect(window.current == 8)
        #expect(slots(window, last: 1, at: 20) == [8])
        #expect(window.elapsed(at: time(20)) == 0)
        #expect(window.elapsed(at: time(104)) == 4_000_000_000)
    }

    @Test("Steps are rounded down before the origin too, and start at the origin")
    func origin() {
        var window = window(at: -25)
        window.current = 1
        window.advance(to: time(-21))
        #expect(window.current == 1)
        window.advance(to: time(-20))
        #expect(window.current == 0)
        #expect(slots(window, last: 2, at: -11) == [1, 0])
        var shifted = self.window(at: 3, origin: 3)
        shifted.current = 1
        shifted.advance(to: time(12.9))
        #expect(shifted.current == 1)
        shifted.advance(to: time(13))
        #expect(shifted.current == 0)
    }

    @Test("Arguments out of range are clamped, and a window that was never changed allocates nothing")
    func limits() {
        var window = RollingWindow(step: .zero, capacity: 0, empty: 0, at: .init(nanoseconds: .min))
        window.advance(to: .init(nanoseconds: .max))
        #expect(window.capacity == 1 && window.slots.isEmpty)
        window.current = 1
        #expect(slots(window, last: -1, at: 0) == [1])
        window.advance(to: .init(nanoseconds: .max))
        #expect(window.current == 1)
    }
}
