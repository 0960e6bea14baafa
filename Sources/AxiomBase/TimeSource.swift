// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Where a type that waits or measures takes its time from.
///
/// Public types of Axiom take `clock: TimeSource = .live`; a test hands them a ``ManualTime`` instead and
/// moves time forward itself, so that no test sleeps.
public struct TimeSource: Sendable {
    private enum Source {
        case live
        case manual(ManualTime)
    }

    private let source: Source

    /// The machine's monotonic clock. One reading costs 25 to 40 ns on Linux (`clock_gettime` through the vDSO).
    public static let live = TimeSource(source: .live)

    /// Time that stands still until `time` is advanced.
    public static func manual(_ time: ManualTime) -> TimeSource {
        TimeSource(source: .manual(time))
    }

    /// The present instant. Never earlier than an instant read before it.
    public var now: Instant {
        switch source {
        case .live: Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
        case .manual(let time): time.now
        }
    }

    /// The present wall-clock time, in seconds since 1970-01-01 00:00 UTC. It may jump when the clock is set.
    public var secondsSinceEpoch: Double {
        switch source {
        case .live: Double(Self.nanoseconds(of: CLOCK_REALTIME)) * 1e-9
        case .manual(let time): time.secondsSinceEpoch
        }
    }

    /// Waits until `deadline`; returns at once when it has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the deadline.
    public func sleep(until deadline: Instant) async throws {
        switch source {
        case .live: try await Task.sleep(for: .nanoseconds(max(0, deadline.nanoseconds(since: now))))
        case .manual(let time): try await time.sleep(until: deadline)
        }
    }

    /// Waits for `duration`; returns at once when it is zero or negative.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the duration has passed.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration))
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // Fails only for a clock that the kernel does not have; these two are mandatory.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
