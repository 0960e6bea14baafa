// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Glibc

/// Decides for each request how long it takes and whether something goes wrong with it.
final class Weather: Sendable {
    /// What happens to one request.
    struct Forecast: Hashable, Sendable {
        let fault: Fault?
        let latency: Duration
        /// Whether faults are on.
        let isStormy: Bool
    }

    /// A few milliseconds, with an exponential tail that is cut off far below the network's deadline.
    private static let (floor, mean, ceiling) = (0.001, 0.003, 0.1)
    /// What a slow answer takes, in seconds.
    private static let slow = 0.25...0.6

    private let mode: FaultMode
    private let clock: TimeSource
    private let start: Instant
    /// Guarded by the lock.
    private let generator: Lock<SeededGenerator>

    init(_ mode: FaultMode, seed: UInt64, clock: TimeSource) {
        self.mode = mode
        self.clock = clock
        start = clock.now
        generator = Lock(SeededGenerator(seed: seed, stream: .max))
    }

    /// Draws what happens to the next request.
    func next() -> Forecast {
        let isStormy = isStormy
        let share = isStormy ? mode.schedule.share : 0
        return generator.withLock { generator in
            // Always as many draws, so that one request's fate does not shift the next one's.
            let (chance, kind) = (
                Double.random(in: 0..<1, using: &generator), Fault.allCases.randomElement(using: &generator)
            )
            let tail = -log(Double.random(in: 1e-9...1, using: &generator)) * Self.mean
            let delay = Double.random(in: Self.slow, using: &generator)
            let fault = chance < share ? kind : nil
            return Forecast(
                fault: fault,
                latency: .seconds(fault == .slow ? delay : min(Self.floor + tail, Self.ceiling)),
                isStormy: isStormy
            )
        }
    }

    private var isStormy: Bool {
        let (on, period, _) = mode.schedule
        let elapsed = clock.now.nanoseconds(since: start)
        return elapsed % period.clampedNanoseconds < on.clampedNanoseconds
    }
}
