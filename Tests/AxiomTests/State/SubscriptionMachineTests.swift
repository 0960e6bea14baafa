// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// The machine beside its reference, driven by one random history. Waiters are numbers.
private struct History {
    typealias Machine = SubscriptionMachine<Int, Int>
    typealias Reference = SubscriptionReference

    var machine: Machine
    var reference: Reference
    var random: SeededGenerator
    var published = 0
    var accounted = (offered: 0, delivered: 0, coalesced: 0, dropped: 0, abandoned: 0)
    var parked: Int?
    var nextWaiter = 0
    var criticalsAccepted: [Int] = []
    var delivered: [Int] = []

    init(seed: UInt64, limits: SubscriptionLimits) {
        machine = Machine(SubscriptionBuffer(limits: limits))
        reference = Reference(limits: limits)
        random = SeededGenerator(seed: seed)
    }

    mutating func offer(critical: Bool) {
        published += 1
        let wasOpen = reference.end == nil
        let offered = machine.offer(.init(element: published, isCritical: critical, publishedAt: nil))
        let expected = reference.offer(.init(n: published, critical: critical))
        #expect((offered.coalesced, offered.dropped) == expected)
        #expect(machine.isOpen == (reference.end == nil))
        if wasOpen {
            accounted.offered += 1
            accounted.coalesced += offered.coalesced
            accounted.dropped += offered.dropped
            if critical && offered.dropped == 0 { criticalsAccepted.append(published) }
        }
        expectWoken(offered.waiter, when: wasOpen)
    }

    /// A call comes in: it delivers, ends, or parks.
    mutating func take(_ amount: Machine.Amount) {
        let step = machine.enter(amount)
        if parked != nil {
            guard case .busy = step else { return #expect(Bool(false), "a second call was let in") }
            return
        }
        check(step, amount)
        guard case .wait = step else { return }
        nextWaiter += 1
        #expect(machine.park(nextWaiter) == nil)
        parked = nextWaiter
    }

    mutating func finish(_ end: SubscriptionEnd) {
        let wasOpen = reference.end == nil
        if wasOpen { reference.end = end }
        expectWoken(machine.finish(end), when: wasOpen)
    }

    mutating func abandon() {
        let wasOpen = reference.end == nil
        let abandonedBefore = accounted.abandoned
        reference.end = .finished
        accounted.abandoned += reference.pending.count
        reference.pending = []
        let (waiter, released) = machine.abandon()
        #expect(released.count == accounted.abandoned - abandonedBefore)
        expectWoken(waiter, when: wasOpen)
    }

    /// The parked waiter, and no other, is handed out by an event on an open subscription; the call then goes on.
    private mutating func expectWoken(_ waiter: Int?, when wasOpen: Bool) {
        #expect(waiter == (wasOpen ? parked : nil))
        guard waiter != nil else { return }
        parked = nil
        let amount: Machine.Amount = Bool.random(using: &random) ? .one : .all
        check(machine.proceed(amount), amount)
    }

    private mutating func check(_ step: Machine.Step, _ amount: Machine.Amount) {
        let before = reference.missed
        let expected = amount == .one ? reference.takeOne() : reference.takeAll()
        switch step {
        case .deliver(let taken):
            let states = taken.earlier + [taken.latest]
            #expect(Reference.Delivery(states: states, coalesced: taken.coalesced) == expected)
            #expect(taken.newlyCoalesced == taken.coalesced - before)
            accounted.delivered += states.count
            accounted.coalesced += taken.newlyCoalesced
            delivered += states
        case .end(let end):
            #expect(expected == nil)
            #expect(end == reference.end)
            reference.end = .finished
        case .wait:
            #expect(expected == nil && reference.end == nil)
        case .busy:
            #expect(Bool(false), "busy although no call is under way")
        }
    }

    func expectConservation() {
        let (offered, delivered, coalesced, dropped, abandoned) = accounted
        #expect(offered == delivered + coalesced + dropped + abandoned + reference.pending.count)
    }
}

@Suite("Subscription machine", .timeLimit(.minutes(10)))
struct SubscriptionMachineTests {
    private static let limits: [SubscriptionLimits] = [
        .standard, .init(pending: 3, critical: 4), .init(pending: 1, critical: 1),
        .init(pending: .max, critical: .max),
    ]

    @Test("Over random histories it does what the plain reference does", arguments: 0..<4)
    func matchesReference(limits: Int) async {
        for seed in 0..<400 as Range<UInt64> {
            // Not to keep a thread from the tests that need two.
            await Task.yield()
            var history = History(seed: seed, limits: Self.limits[limits])
            let criticality = Double.random(in: 0...1, using: &history.random)
            let appetite = Int.random(in: 1...60, using: &history.random)
            for _ in 0..<300 {
                switch Int.random(in: 0..<100, using: &history.random) {
                case 0..<appetite: history.take(Bool.random(using: &history.random) ? .one : .all)
                case 98 where seed % 5 == 0: history.finish(seed % 2 == 0 ? .finished : .stalled(pending: 0))
                case 99 where seed % 5 == 1: history.abandon()
                default: history.offer(critical: .random(in: 0..<1, using: &history.random) < criticality)
                }
                history.expectConservation()
            }
        }
    }

    @Test("Every accepted critical state is delivered once, in order, and the last state never is missed")
    func deliversCriticals() async {
        for seed in 0..<200 as Range<UInt64> {
            await Task.yield()
            var history = History(seed: seed, limits: .standard)
            for _ in 0..<200 {
                if Int.random(in: 0..<12, using: &history.random) == 0 {
                    history.take(Bool.random(using: &history.random) ? .one : .all)
                } else {
                    history.offer(critical: Int.random(in: 0..<3, using: &history.random) == 0)
                }
            }
            history.finish(.finished)
            while !history.reference.pending.isEmpty { history.take(.one) }
            let criticals = Set(history.criticalsAccepted)
            #expect(history.delivered.filter(criticals.contains) == history.criticalsAccepted)
            #expect(history.delivered == history.delivered.sorted())
            #expect(history.delivered.last == history.published)
        }
    }

    @Test("Ten states wait as they came; the eleventh takes the place of all that may be missed")
    func collapsesAtEleven() {
        var buffer = SubscriptionBuffer<Int>()
        for n in 1...10 {
            #expect(buffer.append(.init(element: n, isCritical: n == 4)) == .kept(coalesced: 0))
        }
        #expect(buffer.append(.init(element: 11, isCritical: false)) == .kept(coalesced: 9))
        #expect(buffer.takeFirst()?.latest == 4)
        #expect(buffer.takeFirst()?.latest == 11)
        #expect(buffer.takeFirst()?.latest == nil)
    }

    @Test("A waiter that comes too late to wait is handed back at once")
    func parksOnlyWhenEmpty() {
        var machine = SubscriptionMachine<Int, Int>(SubscriptionBuffer())
        guard case .wait = machine.enter(.one) else { return #expect(Bool(false), "nothing was pending") }
        #expect(machine.offer(.init(element: 1, isCritical: false)).waiter == nil)
        #expect(machine.park(7) == 7)
        guard case .deliver(let taken) = machine.proceed(.one) else { return #expect(Bool(false), "one was pending") }
        #expect(taken.latest == 1)
    }
}
