// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// How many requests the shop's server answers with a fault.
package enum FaultMode: String, Hashable, Sendable, CaseIterable {
    /// None.
    case none
    /// One request in ten, for two seconds out of six.
    case mild
    /// One request in three, for four seconds out of five.
    case storm

    /// When faults are on: during the first part of each period.
    package var schedule: (on: Duration, period: Duration, share: Double) {
        switch self {
        case .none: (.zero, .seconds(1), 0)
        case .mild: (.seconds(2), .seconds(6), 0.1)
        case .storm: (.seconds(4), .seconds(5), 0.33)
        }
    }
}

/// What the server does to a request instead of answering it normally.
package enum Fault: Hashable, Sendable, CaseIterable {
    /// It answers with the status 503.
    case unavailable
    /// It does not answer before the client's deadline.
    case timeout
    /// It resets the connection.
    case reset
    /// It answers late, but before the client's deadline.
    case slow
}

/// Decides for each request how long the answer takes, and whether it is a fault.
package final class FaultInjector: Sendable {
    /// What happens to one request.
    package struct Plan: Hashable, Sendable {
        package let fault: Fault?
        package let latency: Duration
        /// Whether faults are on.
        package let isStormy: Bool
    }

    /// Seconds: a few milliseconds with an exponential tail that ends far below the client's deadline.
    private static let (floor, mean, ceiling) = (0.001, 0.003, 0.1)
    /// Seconds until a slow answer.
    private static let slow = 0.25...0.6

    private struct State {
        var mode: FaultMode
        /// The beginning of the first period.
        var start: Instant
        var generator: SeededGenerator

        func isStormy(at now: Instant) -> Bool {
            let (on, period, _) = mode.schedule
            return now.nanoseconds(since: start) % period.clampedNanoseconds < on.clampedNanoseconds
        }
    }

    private let clock: TimeSource
    /// Guarded by the lock.
    private let state: Lock<State>

    package init(_ mode: FaultMode, seed: UInt64, clock: TimeSource) {
        self.clock = clock
        state = Lock(State(mode: mode, start: clock.now, generator: SeededGenerator(seed: seed, stream: .max)))
    }

    /// How many requests fail now. A change begins a new first period: faults of the new mode begin at once.
    package var mode: FaultMode {
        get { state.withLock { $0.mode } }
        set {
            let now = clock.now
            state.withLock { ($0.mode, $0.start) = (newValue, now) }
        }
    }

    /// The plan for the next request.
    package func next() -> Plan {
        state.withLock { state in
            // Under the lock: a change of the mode sets a start that is not later.
            let isStormy = state.isStormy(at: clock.now)
            let share = isStormy ? state.mode.schedule.share : 0
            // Each plan draws the same number of values, so it does not shift the plans that follow.
            let chance = Double.random(in: 0..<1, using: &state.generator)
            let kind = Fault.allCases.randomElement(using: &state.generator)
            let tail = -log(Double.random(in: 1e-9...1, using: &state.generator)) * Self.mean
            let delay = Double.random(in: Self.slow, using: &state.generator)
            let fault = chance < share ? kind : nil
            return Plan(
                fault: fault,
                latency: .seconds(fault == .slow ? delay : min(Self.floor + tail, Self.ceiling)),
                isStormy: isStormy
            )
        }
    }
}
