// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

@testable import AxiomResilience

/// One random history of calls and operator commands, applied to the state machine and to the reference model.
struct RandomHistory: ~Copyable {
    private struct Pending {
        let ticket: Ticket
        let id: Int
    }

    private var generator: SplitMix64
    private var machine: BreakerMachine
    private var reference: ReferenceBreaker
    private var pending: [Pending] = []
    /// The calls that `CircuitBreaker` would count on its fast path.
    private var fastPath = FastPathTotals()
    private var published: [CircuitTransition] = []
    private var instant: Int64 = 1_000
    private var step = 0
    private(set) var offered = 0
    /// The first difference between the two; nil if there is none.
    private(set) var difference: String?

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let rules = Self.anyRules(&generator)
        let random = SeededGenerator(seed: seed &+ 1)
        machine = BreakerMachine(name: "b", rules: rules, at: Instant(nanoseconds: instant), random: random)
        reference = ReferenceBreaker(rules: rules, at: instant, random: random)
    }

    var transitions: [CircuitTransition] { published }

    /// Takes `steps` steps. Stops at the first difference.
    mutating func live(steps: Int) {
        while step < steps, difference == nil {
            step += 1
            if Int.random(in: 0..<3, using: &generator) == 0 {
                // Some instants are in the past.
                instant += Int64.random(in: -2...12, using: &generator)
            }
            takeStep()
            compare()
        }
        compareAtEnd()
    }

    private mutating func takeStep() {
        switch Int.random(in: 0..<64, using: &generator) {
        case 0: obey(.forcedOpen)
        case 1: obey(.disabled)
        case 2, 3:
            machine.reset(at: now)
            reference.reset(instant)
        case 4, 5:
            let time = Int64.random(in: 1...30, using: &generator)
            same(machine.open(nanoseconds: time, at: now), reference.open(time, instant), "open(for:)")
        case 6, 7:
            let rules = Self.anyRules(&generator)
            machine.reconfigure(rules, at: now)
            reference.reconfigure(rules, instant)
        case 8..<38: offer()
        default: settle()
        }
    }

    private var now: Instant { Instant(nanoseconds: instant) }

    private mutating func obey(_ order: BreakerMachine.ManualState) {
        machine.force(order, at: now)
        reference.obey(order, instant)
    }

    private mutating func offer() {
        offered += 1
        // Where time does not matter, calls may be admitted without it; then none of them is ever slow.
        let untimed = Bool.random(using: &generator) ? admitUntimed() : nil
        let expected = reference.admit(instant, isTimed: untimed == nil)
        switch untimed.map(Decision.admitted) ?? machine.admit(at: now) {
        case .admitted(let ticket):
            same(.admitted(ticket.kind, ticket.generation), expected, "answer")
            pending.append(Pending(ticket: ticket, id: reference.callCount))
        case .rejected(let rejection):
            same(.rejected(rejection.state, rejection.remainingNanoseconds), expected, "answer")
        }
    }

    private mutating func admitUntimed() -> Ticket? {
        guard machine.fastPathStamp != 0 else { return machine.admitUntimed() }
        fastPath.admitted += 1
        return Ticket(stamp: machine.fastPathStamp, admittedAt: Ticket.untimed, slot: -1)
    }

    private mutating func settle() {
        guard !pending.isEmpty else { return }
        let call = pending.remove(at: Int.random(in: pending.indices, using: &generator))
        let outcome: CallOutcome =
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: .ignored
            case 1: .cancelled
            case 2: .failure(openFor: .nanoseconds(Int64.random(in: 1...40, using: &generator)))
            case 3..<10: .failure
            default: .success
            }
        if outcome != .success || Bool.random(using: &generator) {
            machine.record(call.ticket, outcome, at: now)
        } else {
            succeedUntimed(call.ticket)
        }
        reference.record(call.id, outcome, instant)
    }

    private mutating func succeedUntimed(_ ticket: Ticket) {
        if ticket.stamp == machine.fastPathStamp {
            fastPath.succeeded += 1
            return
        }
        switch machine.recordUntimed(ticket) {
        case .settled: break
        case .trips(let reason): machine.trip(reason, at: now)
        case .needsTime: machine.record(ticket, .success, at: now)
        }
    }

    // MARK: Comparing

    private mutating func same<T: Equatable>(_ ours: T, _ expected: T, _ what: String) {
        guard ours != expected, difference == nil else { return }
        difference = "step \(step), \(what): \(ours), but expected was \(expected)"
    }

    /// The values that are compared after every step. One comparison of all of them makes 100,000 histories affordable.
    private struct View: Equatable {
        let state: CircuitState
        let phase: BreakerMachine.Phase
        let generation: UInt64
        let window: WindowSummary
        let counts: CircuitCounts
        let transitions: Int
        let openUntil: Int64
        let probes: Int
    }

    private mutating func compare() {
        let counts = machine.counts(at: now, with: fastPath)
        machine.window.advance(to: machine.now)
        if machine.history.hasUnpublished { published += machine.history.takeUnpublished() }
        let ours = View(
            state: machine.state,
            phase: machine.phase,
            generation: machine.generation,
            window: machine.windowSummary,
            counts: counts,
            transitions: published.count,
            openUntil: machine.phase == .open ? machine.openUntil : 0,
            probes: machine.phase == .probing ? machine.probes.inUse : 0
        )
        reference.time(instant)
        let expected = View(
            state: reference.state,
            phase: reference.phase,
            generation: reference.generation,
            window: reference.window,
            counts: referenceCounts,
            transitions: reference.transitions.count,
            openUntil: reference.phase == .open ? reference.openUntil : 0,
            probes: reference.phase == .probing ? reference.outstandingProbes.count : 0
        )
        if ours != expected { same(ours, expected, "view") }
        checkConservation(counts)
    }

    private var referenceCounts: CircuitCounts {
        var expected = CircuitCounts()
        expected.success = reference.outcomes[.success] ?? 0
        expected.failure = reference.outcomes[.failure] ?? 0
        expected.ignored = reference.outcomes[.ignored] ?? 0
        expected.cancelled = reference.outcomes[.cancelled] ?? 0
        expected.rejected = reference.rejected
        expected.inFlight = reference.inFlight.count
        expected.slow = reference.slow
        expected.slowInFlight = reference.slowInFlight
        if reference.phase == .probing { expected.slowInFlight += reference.overdueProbes(at: reference.now) }
        expected.shadowRejections = reference.shadowRejections
        expected.stale = reference.stale
        return expected
    }

    /// offered = success + failure + ignored + cancelled + rejected + in flight, and slow is a part of the first two.
    private mutating func checkConservation(_ counts: CircuitCounts) {
        let sum = counts.success + counts.failure + counts.ignored + counts.cancelled + counts.rejected
        let isConserved =
            sum + counts.inFlight == offered && counts.offered == offered && counts.inFlight == pending.count
            && counts.slow <= counts.success + counts.failure && counts.slowInFlight <= counts.inFlight
        if !isConserved { difference = difference ?? "step \(step): \(counts)" }
    }

    private mutating func compareAtEnd() {
        same(published, reference.transitions, "transitions")
        var times: [CircuitState: Int64] = [:]
        for span in reference.spans { times[span.0, default: 0] += span.1 }
        times[reference.state, default: 0] += reference.now - reference.since
        let measured = machine.history.timeInState(machine.state, at: machine.now)
        same(measured.filter { $0.value > 0 }, times.filter { $0.value > 0 }, "time in states")
        same(measured.values.reduce(0, +), machine.now - 1_000, "time in all states")
    }

    // MARK: Rules

    /// Made once: checking a configuration costs more than living a history.
    private static let pool: [BreakerRules] = {
        var generator = SplitMix64(seed: 1)
        return (0..<2_048).compactMap { _ in try? randomRules(&generator) }
    }()

    private static func anyRules(_ generator: inout SplitMix64) -> BreakerRules {
        pool[Int.random(in: pool.indices, using: &generator)]
    }

    private static func randomRules(_ generator: inout SplitMix64) throws -> BreakerRules {
        func choose<T>(_ choices: T...) -> T { choices[Int.random(in: choices.indices, using: &generator)] }
        let configuration = CircuitBreakerConfiguration(
            mode: choose(.enforcing, .shadow),
            window: choose(.count(4), .count(3), .count(9), .time(.milliseconds(1))),
            minimumCalls: choose(1, 2, 3),
            failureRateThreshold: choose(0.3, 0.5, 0.7, 1, nil, nil),
            consecutiveFailures: choose(nil, nil, 2, 4),
            slowCallDuration: choose(nil, nil, .nanoseconds(5), .nanoseconds(12)),
            slowCallRateThreshold: choose(0.5, 1),
            openDuration: choose(.nanoseconds(8), .nanoseconds(20)),
            openDurationGrowth: choose(1, 2),
            openDurationCap: .nanoseconds(50),
            openDurationJitter: choose(0, 0.5),
            retryAfterLimit: .nanoseconds(30),
            halfOpenPermits: choose(1, 1, 2, 3),
            halfOpenTimeLimit: choose(.nanoseconds(10), .nanoseconds(30)),
            ramp: choose(nil, .init(duration: .nanoseconds(60), initialShare: 0.5))
        )
        var rules = try BreakerRules(configuration, SettingCheck(subject: "test", file: "", line: 0))
        // The least that a configuration can say is a millisecond: too long for histories of some hundred nanoseconds.
        if case .nanoseconds = rules.window { rules.window = .nanoseconds(choose(10, 25, 60)) }
        return rules
    }
}
