// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomResilience

/// A circuit breaker that is slow and obvious: it keeps every call with its instants, and finds out by looking at all of
/// them. It shares rules and vocabulary with the state machine, and no line that decides.
struct ReferenceBreaker {
    struct Call {
        let id: Int
        let start: Int64
        let generation: UInt64
        let kind: Ticket.Kind
        /// Whether the slow rule was in force when it was admitted, and ever since.
        var isWatched: Bool
        /// Whether anybody looked at the clock when it was admitted.
        var isTimed = true
        /// Found slow while in flight.
        var isKnownSlow = false
        /// A probe that has lost its permit.
        var isExpired = false
    }

    struct Result {
        var instant: Int64
        var failed: Bool
        var slow: Bool
    }

    enum Answer: Equatable {
        case admitted(Ticket.Kind, UInt64)
        case rejected(CircuitState, Int64)
    }

    var rules: BreakerRules
    var random: SeededGenerator
    var now: Int64
    var order = BreakerMachine.ManualState.none
    var phase = BreakerMachine.Phase.closed
    var generation: UInt64 = 1
    /// Every call that was admitted and has not settled.
    var inFlight: [Call] = []
    var callCount = 0
    var outcomes: [CallOutcome.Kind: Int] = [:]
    var rejected = 0
    var slow = 0
    var stale = 0
    var shadowRejections = 0
    /// Every result since evidence began.
    var results: [Result] = []
    /// Whether each of them failed; a change of the window leaves it alone.
    var failures: [Bool] = []
    var probes: [Result] = []
    var openUntil: Int64 = 0
    var nextOpenTime: Double
    var rampBegun: Int64 = 0
    var rampCredit = 0.0
    var transitions: [CircuitTransition] = []
    /// The state and how long it lasted, one after the other.
    var spans: [(CircuitState, Int64)] = []
    var since: Int64

    init(rules: BreakerRules, at now: Int64, random: SeededGenerator) {
        self.rules = rules
        self.random = random
        self.now = now
        since = now
        nextOpenTime = rules.openNanoseconds
    }

    // MARK: What can be seen

    var state: CircuitState {
        if order == .forcedOpen { return .forcedOpen }
        if order == .disabled { return .disabled }
        return rules.isShadow ? .shadow : decided
    }

    var decided: CircuitState {
        phase == .closed ? .closed : phase == .open ? .open : .halfOpen
    }

    // Loops, where closures would be shorter: without optimisation they take several times as long, and all of this
    // runs some million times.

    var windowResults: [Result] {
        guard case .nanoseconds(let length) = rules.window else {
            guard case .calls(let size) = rules.window, results.count > size else { return results }
            return Array(results[(results.count - size)...])
        }
        var young: [Result] = []
        for result in results where now - result.instant < length { young.append(result) }
        return young
    }

    var slowInFlight: Int {
        var count = 0
        for call in inFlight where call.kind == .counted && call.generation == generation && call.isKnownSlow {
            count += 1
        }
        return count
    }

    /// Probes that hold a permit.
    var outstandingProbes: [Call] {
        var probes: [Call] = []
        for call in inFlight where call.kind == .probe && call.generation == generation && !call.isExpired {
            probes.append(call)
        }
        return probes
    }

    func overdueProbes(at time: Int64) -> Int {
        rules.slowNanoseconds == 0 ? 0 : outstandingProbes.count { time - $0.start >= rules.slowNanoseconds }
    }

    var consecutiveFailures: Int {
        var index = failures.count
        while index > 0, failures[index - 1] { index -= 1 }
        return failures.count - index
    }

    var window: WindowSummary {
        let window = windowResults
        var (failed, slow) = (0, 0)
        for result in window {
            if result.failed { failed += 1 }
            if result.slow { slow += 1 }
        }
        return WindowSummary(
            calls: window.count,
            failures: failed,
            slow: slow,
            slowInFlight: slowInFlight,
            consecutiveFailures: consecutiveFailures
        )
    }
}
