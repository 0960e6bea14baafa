// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Lets steps begin at a steady rate, however many shoppers take them.
@MainActor
final class Pacer {
    /// Behind by more than this, what was missed is given up instead of made up for in a burst.
    private static let slack = Duration.seconds(1)

    private let interval: Duration
    private let clock: TimeSource
    private var nextSlot: Instant

    /// - Parameter rate: Steps per second, more than 0.
    init(rate: Double, clock: TimeSource) {
        interval = .seconds(1 / rate)
        self.clock = clock
        nextSlot = clock.now
    }

    /// Waits for the next slot.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func turn() async throws {
        let earliest = clock.now.advanced(by: .zero - Self.slack)
        let slot = max(nextSlot, earliest)
        nextSlot = slot.advanced(by: interval)
        try Task.checkCancellation()
        try await clock.sleep(until: slot)
    }
}
