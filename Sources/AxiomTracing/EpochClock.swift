// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization
internal import Tracing

/// Converts instants of a monotonic clock to nanoseconds since 1970.
///
/// Both clocks run at the same rate, so one offset serves all spans, and their durations and order stay exact. The offset
/// changes only if somebody sets the wall clock.
final class EpochClock: Sendable {
    private let source: TimeSource
    /// What is added to an instant. Relaxed: it orders nothing else.
    private let offset: Atomic<Int64>
    /// When the offset was last compared with the clocks. Relaxed, as above.
    private let comparedAt: Atomic<Int64>
    /// How often the offset is compared, in nanoseconds.
    private static let interval: Int64 = 1_000_000_000
    /// Less than this is the error of two readings and not a change of the clock.
    private static let tolerance: Int64 = 1_000_000

    init(_ source: TimeSource) {
        self.source = source
        let now = source.now
        offset = Atomic(Self.offset(source, at: now))
        comparedAt = Atomic(now.nanoseconds)
    }

    /// Adopts a change of the wall clock. Call it when a trace begins, so that most traces have one offset.
    func adjust(at now: Instant) {
        let last = comparedAt.load(ordering: .relaxed)
        guard now.nanoseconds &- last >= Self.interval else { return }
        comparedAt.store(now.nanoseconds, ordering: .relaxed)
        let actual = Self.offset(source, at: source.now)
        if abs(actual &- offset.load(ordering: .relaxed)) > Self.tolerance { offset.store(actual, ordering: .relaxed) }
    }

    /// The time of an instant, or of `nanoseconds` after it.
    func time(of instant: Instant, after nanoseconds: Int64 = 0) -> DefaultTracerClock.Timestamp {
        let time = instant.nanoseconds &+ nanoseconds &+ offset.load(ordering: .relaxed)
        return DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(max(0, time)))
    }

    private static func offset(_ source: TimeSource, at now: Instant) -> Int64 {
        let seconds = source.secondsSinceEpoch
        // Beyond these bounds the conversion would trap. A manual clock can have any origin.
        guard abs(seconds) < 9e9 else { return 0 }
        return Int64(seconds * 1e9) &- now.nanoseconds
    }
}
