// SPDX-License-Identifier: Apache-2.0

/// The latest values of something that is measured in steps of time, no more than `capacity` of them.
///
/// Steps in which nothing was measured are gaps. When the clock goes back, or so far ahead that nothing would be left,
/// the ring begins anew.
struct TimeRing<Element: Sendable>: Sendable {
    /// The seconds of a step.
    let step: Double
    let capacity: Int
    /// When the oldest step begins that is kept.
    private(set) var start = 0.0
    private(set) var count = 0
    /// The place of the oldest step in `slots`.
    private var head = 0
    private var slots: [Element?]

    init(step: Double, capacity: Int) {
        self.step = step
        self.capacity = capacity
        slots = Array(repeating: nil, count: capacity)
    }

    /// The values in order, nil in gaps.
    var values: [Element?] { (0..<count).map { slots[(head + $0) % capacity] } }

    /// The latest value, nil in a gap.
    var last: Element? { count == 0 ? nil : slots[(head + count - 1) % capacity] }

    /// When the latest step begins.
    var lastStart: Double { start + Double(count - 1) * step }

    /// The value of the step that begins at `begin`.
    func value(at begin: Double) -> Element? {
        let place = ((begin - start) / step).rounded()
        guard place >= 0, place < Double(count) else { return nil }
        return slots[(head + Int(place)) % capacity]
    }

    /// Puts a value into the step that begins at `begin`: the latest again, or a later one.
    mutating func put(_ element: Element, at begin: Double) {
        let place = ((begin - start) / step).rounded()
        guard count > 0, place >= Double(count - 1), place < Double(count + capacity) else {
            return restart(element, begin)
        }
        for _ in count..<max(count, Int(place)) { append(nil) }
        if Int(place) == count - 1 {
            slots[(head + count - 1) % capacity] = element
        } else {
            append(element)
        }
    }

    private mutating func restart(_ element: Element, _ begin: Double) {
        (start, count, head) = (begin, 0, 0)
        for place in slots.indices { slots[place] = nil }
        append(element)
    }

    private mutating func append(_ element: Element?) {
        if count < capacity {
            slots[(head + count) % capacity] = element
            count += 1
        } else {
            slots[head] = element
            head = (head + 1) % capacity
            start += step
        }
    }
}
