// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Several shoppers at once.
@MainActor
struct Workload {
    /// When the shoppers stop.
    enum Bound: Hashable, Sendable {
        /// When the task is cancelled.
        case none
        /// When the time is over; what was begun is brought to its end.
        case duration(Duration)
        /// When they have taken so many steps between them.
        case steps(Int)
    }

    let orchestrator: Orchestrator
    let ledger: Ledger
    let screens: Screens
    let seed: UInt64
    /// Steps per second, by all shoppers together.
    let rate: Double
    let clock: TimeSource

    /// Enough shoppers to keep the rate when some of them wait.
    var shoppers: Int {
        Int(min(max(4, rate / 5), 64).rounded(.up))
    }

    /// Lets the shoppers shop until `bound` is reached or the task is cancelled; all have left when it returns.
    ///
    /// - Throws: What keeps a presentation from being mounted.
    func run(_ bound: Bound, watchdog: Watchdog) async throws {
        let pacer = Pacer(rate: rate, clock: clock)
        let end: Instant? = if case .duration(let duration) = bound { clock.now.advanced(by: duration) } else { nil }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<shoppers {
                let counter = Counter(orchestrator: orchestrator, ledger: ledger, screens: screens, shopper: index)
                let script = Script(seed: seed, shopper: index)
                let shopper = Shopper(at: counter, script: script, watchdog: watchdog, clock: clock)
                let steps = steps(of: index, bound)
                group.addTask { try await shopper.shop(pacer, steps: steps, until: end) }
            }
            try await group.waitForAll()
        }
    }

    private func steps(of shopper: Int, _ bound: Bound) -> Int {
        guard case .steps(let steps) = bound else { return .max }
        return steps / shoppers + (shopper < steps % shoppers ? 1 : 0)
    }
}
