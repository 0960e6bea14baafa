// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomHTTP
internal import Foundation

/// How many requests the shop's server answers with a fault.
enum FaultMode: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    /// None.
    case none
    /// One request in ten, for two seconds out of six.
    case mild
    /// One request in three, for four seconds out of five.
    case storm

    /// When faults are on: during the first part of each period.
    var schedule: (on: Duration, period: Duration, share: Double) {
        switch self {
        case .none: (.zero, .seconds(1), 0)
        case .mild: (.seconds(2), .seconds(6), 0.1)
        case .storm: (.seconds(4), .seconds(5), 0.33)
        }
    }
}

/// What the server does to a request instead of answering it normally.
enum Fault: Hashable, Sendable, CaseIterable {
    /// It answers with the status 503.
    case unavailable
    /// It answers after the client's deadline.
    case timeout
    /// It resets the connection.
    case reset
    /// It answers late, but before the client's deadline.
    case slow
}

/// Decides for each request how long the answer takes, and whether it is a fault.
final class FaultInjector: Sendable {
    /// What happens to one request.
    struct Plan: Hashable, Sendable {
        var fault: Fault?
        let latency: Duration
        /// Whether faults are on.
        let isStormy: Bool
    }

    private struct State {
        var mode: FaultMode
        /// The beginning of the first period.
        var start: Instant
        var generator: SeededGenerator
        var counts = (requests: 0, faults: 0)
    }

    private let clock: TimeSource
    private let state: Lock<State>

    init(_ mode: FaultMode, seed: UInt64, clock: TimeSource) {
        self.clock = clock
        state = Lock(State(mode: mode, start: clock.now, generator: SeededGenerator(seed: seed, stream: .max)))
    }

    /// How many requests fail now. A change begins a new first period: faults of the new mode begin at once.
    var mode: FaultMode {
        get { state.withLock { $0.mode } }
        set {
            let now = clock.now
            state.withLock { ($0.mode, $0.start) = (newValue, now) }
        }
    }

    /// The requests and the faults so far.
    var counts: (requests: Int, faults: Int) { state.withLock { $0.counts } }

    /// The plan for the next request.
    func next() -> Plan {
        state.withLock { state in
            let (on, period, share) = state.mode.schedule
            let time = clock.now.nanoseconds(since: state.start) % period.clampedNanoseconds
            let isStormy = time < on.clampedNanoseconds
            // Each plan draws the same number of values, so it does not shift the plans that follow.
            let chance = Double.random(in: 0..<1, using: &state.generator)
            let kind = Fault.allCases.randomElement(using: &state.generator)
            // A few milliseconds with an exponential tail that ends far below the client's deadline.
            let tail = -log(Double.random(in: 1e-9...1, using: &state.generator)) * 0.003
            let delay = Double.random(in: 0.25...0.6, using: &state.generator)
            let fault = isStormy && chance < share ? kind : nil
            state.counts.requests += 1
            if fault != nil { state.counts.faults += 1 }
            let latency = fault == .slow ? delay : min(0.001 + tail, 0.1)
            return Plan(fault: fault, latency: .seconds(latency), isStormy: isStormy)
        }
    }

    /// Answers a request as planned. A request whose answer is lost has had its effect.
    func carryOut(
        _ plan: Plan,
        _ answer: @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        if plan.fault == .timeout || plan.fault == .reset { _ = try await answer() }
        // When the client gives up, this task is cancelled.
        try await clock.sleep(for: plan.fault == .timeout ? .seconds(60) : plan.latency)
        switch plan.fault {
        case .reset: return .reset
        case .unavailable, .timeout: return .text("Come back later.\n", status: .serviceUnavailable)
        case .slow, nil: return try await answer()
        }
    }
}
