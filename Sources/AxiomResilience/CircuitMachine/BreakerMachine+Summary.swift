// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Reads everything at once, including the calls of the fast path. Makes the transitions that are due, and no others.
    mutating func summary(at instant: Instant, with fastPath: FastPathTotals) -> CircuitSummary {
        let counts = counts(at: instant, with: fastPath)
        window.advance(to: now)
        let window = windowSummary
        let hasMinimum = window.calls >= rules.minimumCalls
        let hasSlowMinimum = rules.slowNanoseconds > 0 && window.calls + window.slowInFlight >= rules.minimumCalls
        return CircuitSummary(
            name: name,
            instant: Instant(nanoseconds: now),
            state: state,
            decidedState: decidedState,
            generation: generation,
            counts: counts,
            window: window,
            failureRatio: hasMinimum ? window.failureRatio : nil,
            slowRatio: hasSlowMinimum ? window.slowRatio : nil,
            timeInState: history.timeInState(state, at: now).mapValues { .nanoseconds($0) },
            transitions: history.transitions,
            openUntil: phase == .open ? Instant(nanoseconds: openUntil) : nil,
            openRemaining: phase == .open ? .nanoseconds(openUntil &- now) : nil,
            halfOpenPermitsInUse: phase == .probing ? probes.inUse : 0,
            rampShare: phase == .ramping ? rampShare : nil
        )
    }

    /// The counts, including the probes in flight that are slow and the calls of the fast path.
    mutating func counts(at instant: Instant, with fastPath: FastPathTotals) -> CircuitCounts {
        advance(to: instant)
        var counts = counts
        if phase == .probing { counts.slowInFlight += probes.overdue(rules.slowNanoseconds, at: now) }
        counts.inFlight += fastPath.admitted - fastPath.succeeded
        counts.success += fastPath.succeeded
        return counts
    }
}

/// The calls that a breaker has counted outside of its state machine.
struct FastPathTotals: Equatable, Sendable {
    var admitted = 0
    var succeeded = 0
}

/// The time that a breaker spent in each state, its transitions, and those that have not been published yet.
struct StateHistory: Equatable, Sendable {
    /// When the breaker entered its present state.
    private(set) var since: Int64
    /// Nanoseconds in each state until `since`.
    private var times: [CircuitState: Int64] = [:]
    private var counts: [CircuitEdge: Int] = [:]
    private var shadowCounts: [CircuitEdge: Int] = [:]
    /// Taken by the owner after every input, so that it stays short.
    private(set) var unpublished: [CircuitTransition] = []
    /// Whether there are any: one byte that the hot path reads.
    private(set) var hasUnpublished = false

    init(since: Int64) { self.since = since }

    /// Adds the time from `since` to `time` to `state`.
    mutating func addTime(in state: CircuitState, until time: Int64) {
        let end = max(time, since)
        times[state, default: 0] &+= end &- since
        since = end
    }

    mutating func append(_ transition: CircuitTransition) {
        if transition.isShadow {
            shadowCounts[transition.edge, default: 0] += 1
        } else {
            counts[transition.edge, default: 0] += 1
        }
        unpublished.append(transition)
        hasUnpublished = true
    }

    mutating func takeUnpublished() -> [CircuitTransition] {
        defer {
            unpublished = []
            hasUnpublished = false
        }
        return unpublished
    }

    /// Nanoseconds in each of the six states, up to `now`.
    func timeInState(_ present: CircuitState, at now: Int64) -> [CircuitState: Int64] {
        var result = Dictionary(uniqueKeysWithValues: CircuitState.allCases.map { ($0, times[$0] ?? 0) })
        result[present, default: 0] &+= max(0, now &- since)
        return result
    }

    /// The counts of all legal transitions.
    var transitions: [CircuitSummary.TransitionCount] {
        CircuitEdge.all.map {
            CircuitSummary.TransitionCount(edge: $0, count: counts[$0] ?? 0, shadowCount: shadowCounts[$0] ?? 0)
        }
    }
}
