// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How far one call through a ``Retry`` has come.
struct RetryCourse {
    /// When the total timeout passes; nil for never.
    let deadline: Instant?
    /// The number of the attempt that runs or has run last, from 1.
    private(set) var attempt = 1
    /// The wait before this attempt.
    private(set) var delay: Duration?

    init(_ totalTimeout: Duration?, _ clock: TimeSource) {
        deadline = totalTimeout.map { clock.now.advanced(by: $0) }
    }

    func hasPassed(_ clock: TimeSource) -> Bool {
        deadline.map { clock.now >= $0 } ?? false
    }

    /// Whether an attempt after `delay` would begin before the deadline.
    func hasTime(for delay: Duration, _ clock: TimeSource) -> Bool {
        deadline.map { clock.now.advanced(by: delay) < $0 } ?? true
    }

    mutating func advance(after delay: Duration) {
        attempt += 1
        self.delay = delay
    }
}
