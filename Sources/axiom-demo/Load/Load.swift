// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Runs several shoppers at once, at a steady rate of steps.
@MainActor
final class Load {
    /// When the shoppers stop.
    enum Bound: Hashable, Sendable {
        /// When the task is cancelled.
        case none
        /// After this time. A step that has begun is finished.
        case duration(Duration)
        /// After this number of steps of all shoppers together.
        case steps(Int)
    }

    private let interval: Duration
    private let clock: TimeSource
    private var nextSlot: Instant

    /// - Parameter rate: Steps of all shoppers together per second, more than 0.
    init(rate: Double, clock: TimeSource) {
        (interval, self.clock, nextSlot) = (.seconds(1 / rate), clock, clock.now)
    }

    /// Enough shoppers to keep the rate while some of them wait.
    static func shopperCount(_ rate: Double) -> Int { Int(min(max(4, rate / 5), 64).rounded(.up)) }

    /// Runs the shoppers until `bound` is reached or the task is cancelled. All of them have left when this returns.
    ///
    /// - Throws: The error of a step.
    func run(_ bound: Bound, _ shoppers: [Shopper]) async throws {
        let end: Instant? = if case .duration(let duration) = bound { clock.now.advanced(by: duration) } else { nil }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, shopper) in shoppers.enumerated() {
                var steps = Int.max
                if case .steps(let all) = bound {
                    steps = all / shoppers.count + (index < all % shoppers.count ? 1 : 0)
                }
                group.addTask { [steps] in
                    do {
                        try await self.run(shopper, steps, until: end)
                    } catch {
                        await shopper.leave()
                        throw error
                    }
                    await shopper.leave()
                }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ shopper: Shopper, _ steps: Int, until end: Instant?) async throws {
        for _ in 0..<steps {
            guard (try? await turn()) != nil, end.map({ clock.now < $0 }) ?? true else { return }
            try await shopper.takeStep()
        }
    }

    /// Waits for the next slot. Steps that are late by more than a second are skipped; otherwise they would follow in a burst.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    private func turn() async throws {
        let slot = max(nextSlot, clock.now.advanced(by: .seconds(-1)))
        nextSlot = slot.advanced(by: interval)
        try Task.checkCancellation()
        try await clock.sleep(until: slot)
    }
}
