// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Synchronization

/// Runs a body in two tasks at the same time.
enum TaskPair {
    private final class Meeting: Sendable {
        let arrived = Atomic<Int>(0)
    }

    private struct Span {
        let start: Instant
        let nanoseconds: Int64
    }

    /// Nanoseconds for each operation in the task that took longer; nil where no attempt had them start together: on a
    /// busy machine two threads often share a processor, and then neither hinders the other.
    static func time(
        attempts: Int,
        _ iterations: Int,
        _ body: @escaping BreakerSuite.Body
    ) async -> Double? {
        for _ in 0..<attempts {
            let meeting = Meeting()
            let other = Task.detached { await span(meeting, iterations, body) }
            let own = await Task.detached { await span(meeting, iterations, body) }.value
            let spans = (own, await other.value)
            let late = abs(spans.0.start.nanoseconds(since: spans.1.start))
            guard late <= min(spans.0.nanoseconds, spans.1.nanoseconds) / 10 else { continue }
            return Double(max(spans.0.nanoseconds, spans.1.nanoseconds)) / Double(iterations)
        }
        return nil
    }

    private static func span(_ meeting: Meeting, _ iterations: Int, _ body: BreakerSuite.Body) async -> Span {
        meeting.arrived.add(1, ordering: .acquiringAndReleasing)
        while meeting.arrived.load(ordering: .acquiring) < 2 {}
        let start = TimeSource.live.now
        await body(iterations)
        return Span(start: start, nanoseconds: TimeSource.live.now.nanoseconds(since: start))
    }
}
