// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The whole seconds at which samples are due. They follow the wall clock as it was when the grid was aligned: they do not
/// drift, and they do not jump unless the wall clock is set by more than two seconds.
struct TimeGrid: Sendable {
    private let clock: TimeSource
    private var anchor: Instant
    private var epoch: Double

    init(_ clock: TimeSource) {
        self.clock = clock
        (anchor, epoch) = Self.align(clock)
    }

    private static func align(_ clock: TimeSource) -> (Instant, Double) {
        let (now, wall) = (clock.now, clock.secondsSinceEpoch)
        let whole = wall.rounded(.down)
        return (now.advanced(by: .seconds(whole - wall)), whole)
    }

    /// Seconds since 1970.
    func seconds(_ instant: Instant) -> Double {
        epoch + instant.seconds(since: anchor)
    }

    /// The latest moment of the grid. Aligns the grid again if the wall clock was set.
    mutating func due() -> Double {
        if (clock.secondsSinceEpoch - seconds(clock.now)).magnitude > 2 { (anchor, epoch) = Self.align(clock) }
        return epoch + Double(passed)
    }

    /// The moment after the latest one.
    var next: Instant { anchor.advanced(by: .seconds(passed + 1)) }

    /// Whole seconds, counted in integers: rounding cannot turn a moment into the one before.
    private var passed: Int64 { clock.now.nanoseconds(since: anchor) / 1_000_000_000 }
}

/// What answers to requests say of themselves: the run, and the time.
struct DocumentOrigin: Sendable {
    let instance: String
    let grid: TimeGrid
    let now: Instant

    /// `{"schema":…,"version":1,"instance":…,"at":…}`, with the members that `write` adds.
    func document(_ schema: String, _ write: (inout JSONText) -> Void) -> JSONText {
        JSONText.document(schema, of: instance) { json in
            json.member("at", moment(now))
            write(&json)
        }
    }

    func moment(_ instant: Instant) -> RowValue { .moment(grid.seconds(instant)) }
}

/// The latest values of something that is measured in steps of time, no more than `capacity` of them.
///
/// Steps in which nothing was measured are gaps. When the clock goes back, or so far ahead that no value would be left, the
/// ring starts again with one value.
struct TimeRing<Element: Sendable>: Sendable {
    /// The seconds of a step.
    let step: Double
    let capacity: Int
    /// When the oldest step begins that is kept.
    private(set) var start = 0.0
    /// The values in order, nil in gaps.
    private(set) var values: [Element?] = []

    var count: Int { values.count }

    /// The latest value, nil in a gap.
    var last: Element? { values.last ?? nil }

    /// When the latest step begins.
    var lastStart: Double { start + Double(count - 1) * step }

    /// The value of the step that begins at `begin`.
    func value(at begin: Double) -> Element? {
        let index = ((begin - start) / step).rounded()
        return index >= 0 && index < Double(count) ? values[Int(index)] : nil
    }

    /// Puts a value into the step that begins at `begin`: the latest again, or a later one.
    mutating func put(_ element: Element, at begin: Double) {
        let index = ((begin - start) / step).rounded()
        guard count > 0, index >= Double(count - 1), index < Double(count + capacity) else {
            (start, values) = (begin, [element])
            return
        }
        values += Array(repeating: nil, count: Int(index) + 1 - count)
        values[Int(index)] = element
        let surplus = max(0, count - capacity)
        values.removeFirst(surplus)
        start += Double(surplus) * step
    }
}
