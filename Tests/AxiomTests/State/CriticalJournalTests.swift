// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What a journal has to do, in the plainest way: all elements ever published, and a set of processed ones per reader.
private struct JournalReference {
    let limit: Int
    var published: UInt64 = 0
    /// The numbers that the journal may have dropped: beyond the limit, or published without readers.
    var dropped: Set<UInt64> = []
    var acknowledged: [UInt64: UInt64] = [:]

    mutating func publish() {
        published += 1
        if acknowledged.isEmpty { dropped.insert(published) }
        let kept = (1...published).filter { !dropped.contains($0) && needed($0) }
        for number in kept.dropLast(limit) { dropped.insert(number) }
    }

    mutating func forget() {
        if published > 0 { for number in 1...published where !needed(number) { dropped.insert(number) } }
    }

    private func needed(_ number: UInt64) -> Bool { acknowledged.values.contains { $0 < number } }

    mutating func resume(_ reader: UInt64) -> (lost: UInt64, elements: [UInt64]) {
        let missed = (0..<published).map { $0 + 1 }.filter { $0 > acknowledged[reader, default: .max] }
        let elements = missed.filter { !dropped.contains($0) }
        let lost = missed.count - elements.count
        acknowledged[reader]? += UInt64(lost)
        forget()
        return (UInt64(lost), elements)
    }
}

/// A store's journal and one subscription, with a subscriber that is cancelled, throws and resumes.
private struct ResumingSubscriber {
    var journal: CriticalJournal<Int>
    let reader: UInt64
    var machine: SubscriptionMachine<Int, Int>
    let limits: SubscriptionLimits
    /// Critical states, which have odd numbers, and the number of each as a critical state.
    var criticals: [Int] = []
    var (published, applied, accounted) = (0, [Int](), (offered: 0, delivered: 0, coalesced: 0, dropped: 0))
    var lost: UInt64 = 0
    var acknowledged: UInt64 = 0

    init(limits: SubscriptionLimits, journal limit: Int) {
        journal = CriticalJournal(limit: limit)
        reader = journal.open(after: 0)
        self.limits = limits
        machine = SubscriptionMachine(SubscriptionBuffer(limits: limits))
    }

    mutating func publish(critical: Bool) {
        published += 1
        if critical {
            criticals.append(published)
            var released = Released<Int>()
            journal.append(published, &released)
        }
        let isOpen = machine.isOpen
        let offered = machine.offer(.init(element: published, isCritical: critical, publishedAt: nil))
        guard isOpen else { return }
        accounted.offered += 1
        accounted.coalesced += offered.coalesced
        accounted.dropped += offered.dropped
    }

    /// Takes what is pending and applies up to `count` of it; then the subscriber is cancelled if it was not all.
    mutating func take(applying count: Int) {
        guard machine.pending > 0, case .deliver(let taken) = machine.enter(.all) else { return }
        accounted.coalesced += taken.newlyCoalesced
        let states = taken.earlier + [taken.latest]
        accounted.delivered += states.count
        for state in states.prefix(count) { apply(state) }
        if count < states.count { resume() }
    }

    private mutating func apply(_ state: Int) {
        applied.append(state)
        let number = UInt64(criticals.count { $0 <= state })
        guard number > acknowledged else { return }
        acknowledged = number
        var released = Released<Int>()
        journal.acknowledge(reader, through: number, &released)
    }

    /// Leaves the subscription, and subscribes again at the acknowledged position.
    mutating func resume() {
        let pending = machine.abandon().pending.count
        #expect(accounted.offered == accounted.delivered + accounted.coalesced + accounted.dropped + pending)
        let missed = journal.resume(reader)
        lost += missed.lost
        acknowledged += missed.lost
        var buffer = SubscriptionBuffer<Int>(limits: limits)
        for state in missed.elements {
            #expect(buffer.append(.init(element: state, isCritical: true)) == .kept(coalesced: 0))
        }
        if published > (missed.elements.last ?? applied.last ?? 0) {
            _ = buffer.append(.init(element: published, isCritical: false))
        }
        machine = SubscriptionMachine(buffer)
        accounted = (buffer.count, 0, 0, 0)
    }
}

@Suite("The journal of critical states", .timeLimit(.minutes(10)))
struct CriticalJournalTests {
    @Test("Over random histories of three readers it does what the plain reference does (STA-10)")
    func matchesReference() async {
        for seed in 0..<Histories.count {
            if seed.isMultiple(of: 100) { await Task.yield() }
            var random = SeededGenerator(seed: seed)
            let limit = Int.random(in: 0...6, using: &random)
            var (journal, reference) = (CriticalJournal<UInt64>(limit: limit), JournalReference(limit: limit))
            var released = Released<UInt64>()
            for _ in 0..<20 {
                let reader = reference.acknowledged.keys.sorted().randomElement(using: &random)
                switch (Int.random(in: 0..<10, using: &random), reader) {
                case (0, _) where reference.acknowledged.count < 3:
                    let number = UInt64.random(in: 0...reference.published + 2, using: &random)
                    reference.acknowledged[journal.open(after: number)] = min(number, reference.published)
                case (1, let reader?):
                    journal.close(reader, &released)
                    reference.acknowledged[reader] = nil
                    reference.forget()
                case (2...3, let reader?):
                    let number = UInt64.random(in: 0...reference.published, using: &random)
                    journal.acknowledge(reader, through: number, &released)
                    reference.acknowledged[reader] = max(number, reference.acknowledged[reader] ?? 0)
                    reference.forget()
                case (4...5, let reader?):
                    let (missed, expected) = (journal.resume(reader), reference.resume(reader))
                    #expect(missed.lost == expected.lost && missed.elements == expected.elements, "seed \(seed)")
                default:
                    reference.publish()
                    if journal.hasReaders { journal.append(reference.published, &released) } else { journal.skip() }
                }
                #expect(journal.count <= limit, "seed \(seed)")
            }
        }
    }

    @Test("Over random histories with cancellations each critical state is applied once, in order, or lost (STA-11)")
    func appliedOrLost() async {
        for seed in 0..<Histories.count {
            if seed.isMultiple(of: 100) { await Task.yield() }
            var random = SeededGenerator(seed: seed)
            let limits = SubscriptionLimits(pending: Int.random(in: 1...4, using: &random), critical: 5)
            // A resumed subscription holds what the journal holds, so their limits are the same.
            var subscriber = ResumingSubscriber(limits: limits, journal: limits.critical)
            for _ in 0..<30 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...1: subscriber.take(applying: .max)
                case 2: subscriber.take(applying: Int.random(in: 0...3, using: &random))
                case 3: subscriber.resume()
                default: subscriber.publish(critical: Bool.random(using: &random))
                }
            }
            while subscriber.machine.pending > 0 { subscriber.take(applying: .max) }
            subscriber.resume()
            while subscriber.machine.pending > 0 { subscriber.take(applying: .max) }
            let criticals = Set(subscriber.criticals)
            let applied = subscriber.applied.filter(criticals.contains)
            #expect(applied == Set(applied).sorted(), "seed \(seed): applied twice or out of order")
            #expect(applied.count + Int(subscriber.lost) == criticals.count, "seed \(seed)")
            if subscriber.published > 0 { #expect(subscriber.applied.last == subscriber.published, "seed \(seed)") }
        }
    }
}
