// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomStorage

/// The first problem of a history, and its events if they are written. Formatting them costs more than the history.
final class PoolJournal {
    let writes: Bool
    private(set) var problem: String?
    private(set) var lines: [String] = []

    init(writes: Bool) { self.writes = writes }

    func fail(_ text: String) { problem = problem ?? text }
    func write(_ line: @autoclosure () -> String) { if writes { lines.append(line()) } }
}

/// Drives a machine with random events, and accounts for connections and waiters by its effects alone.
struct PoolModel {
    typealias Machine = PoolMachine<Int, Int>

    struct Connection {
        var phase: PoolPhase
        var createdAt: Instant
        var idleSince: Instant
        var checkedSince: Instant?
        /// The last call failed.
        var isSuspect = false
    }

    var random: SeededGenerator
    let rules: PoolRules
    var machine: Machine
    var now = Instant(nanoseconds: 0)
    var connections: [Int: Connection] = [:]
    var leases: [Int: Machine.Lease] = [:]
    var waiting: [(waiter: Int, ticket: UInt64, deadline: Instant?)] = []
    var lastWaiter = 0
    var resolved: [Int: Int] = [:]
    var isOpen = true
    /// The instant of the sweep that was requested last; nil if none is pending.
    var sweep: Instant?
    /// The failed creation or the valid check of this event.
    var subject: Int?
    let journal: PoolJournal

    init(_ random: SeededGenerator, _ journal: PoolJournal) {
        self.journal = journal
        var random = random
        rules = PoolRules(
            limit: 1 + random.index(below: 4),
            idleLimit: random.index(below: 3) == 0 ? nil : .seconds(1 + random.index(below: 9)),
            ageLimit: random.index(below: 3) == 0 ? nil : .seconds(1 + random.index(below: 20)),
            checkAfter: .seconds(random.index(below: 3)),
            checkLimit: .seconds(1 + random.index(below: 3))
        )
        self.random = random
        machine = Machine(rules, seed: self.random.next())
        journal.write("\(rules)")
    }

    mutating func step() {
        let choices = 12
        switch random.index(below: choices) {
        case 0...2: acquire()
        case 3: if let one = random.pick(waiting) { leave(one.ticket, one.waiter) }
        case 4, 5: if let number = any(.creating) { create(number, fails: random.index(below: 3) == 0) }
        case 6, 7: if let number = any(.checking) { check(number, isValid: random.index(below: 4) != 0) }
        case 8, 9: if let number = any(.inUse) { comeBack(number) }
        case 10: if let number = any(.closing) { close(number) }
        default:
            advance(.seconds(random.index(below: 4)))
            expireChecks()
        }
        if random.index(below: 200) == 0 { close() }
    }

    /// Closes the pool and ends all work.
    mutating func finish() {
        close()
        while journal.problem == nil, let (number, connection) = connections.first {
            switch connection.phase {
            case .creating: create(number, fails: random.index(below: 2) == 0)
            case .checking: check(number, isValid: random.index(below: 2) == 0)
            case .inUse: comeBack(number)
            case .closing: close(number)
            case .idle: fail("\(number) is idle in a closed pool")
            }
        }
        let counts = machine.counts
        require(counts.created == counts.closed && counts.live == 0, "lost connections: \(counts)")
        require(counts.acquired == counts.returned, "lost leases: \(counts)")
        require(waiting.isEmpty && resolved.count == lastWaiter, "lost waiters")
        require(resolved.values.allSatisfy { $0 == 1 }, "a waiter was resolved twice")
        let outcomes = counts.acquired + counts.refused + counts.timedOut + counts.cancelled
        require(outcomes == lastWaiter, "\(outcomes) outcomes of \(lastWaiter) calls")
    }

    mutating func any(_ phase: PoolPhase) -> Int? {
        random.pick(connections.filter { $0.value.phase == phase }.keys.sorted())
    }

    func fail(_ text: String) { journal.fail(text) }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { fail(text()) }
    }

    // MARK: Events

    mutating func acquire() {
        guard isOpen else {
            var effects = Machine.Effects()
            if case .closed = machine.acquire(0, deadline: nil, at: now, &effects) { return }
            return fail("a closed pool took a waiter")
        }
        lastWaiter += 1
        let seconds = random.index(below: 6)
        let deadline = seconds == 5 ? nil : now.advanced(by: .seconds(seconds))
        var effects = Machine.Effects()
        let waiter = lastWaiter
        switch machine.acquire(waiter, deadline: deadline, at: now, &effects) {
        case .closed: fail("an open pool took no waiter")
        case .waiting(let ticket): waiting.append((waiter, ticket, deadline))
        case .leased(let lease):
            require(waiting.isEmpty, "\(waiter) got a connection before \(waiting.map(\.waiter))")
            resolved[waiter, default: 0] += 1
            lend(lease)
        }
        apply("acquire \(waiter)", effects)
    }

    mutating func leave(_ ticket: UInt64, _ waiter: Int) {
        journal.write("leave \(waiter)")
        let isLate = random.index(below: 2) == 0
        require(machine.remove(ticket, isLate: isLate) == waiter, "\(waiter) was not in the queue")
        require(machine.remove(ticket, isLate: isLate) == nil, "\(waiter) left twice")
        waiting.removeAll { $0.waiter == waiter }
        resolved[waiter, default: 0] += 1
        check()
    }

    mutating func create(_ number: Int, fails: Bool) {
        var effects = Machine.Effects()
        subject = number
        if fails {
            connections[number] = nil
            let isDue = pending < waiting.count && waiting.contains { $0.deadline.map { $0 > now } ?? true }
            machine.creationFailed(number, at: now, &effects)
            require(effects.failed.count == (isDue ? 1 : 0), "\(effects.failed) fail with a creation")
        } else {
            connections[number] = Connection(phase: .idle, createdAt: now, idleSince: now)
            machine.created(number, number, at: now, &effects)
        }
        apply(fails ? "creation of \(number) fails" : "created \(number)", effects)
    }

    mutating func check(_ number: Int, isValid: Bool) {
        guard let lease = leases[number] else { return fail("no lease of \(number)") }
        var effects = Machine.Effects()
        subject = isValid ? number : nil
        connections[number]?.phase = .idle
        connections[number]?.isSuspect = false
        machine.checked(lease, isValid: isValid, at: now, &effects)
        let isClosed = effects.closings.contains { $0.lease.number == number && $0.reason == .invalid }
        require(isClosed == !isValid, "\(number) is valid: \(isValid), closed as invalid: \(isClosed)")
        apply("checked \(number) \(isValid)", effects)
    }

    /// Gives up the checks that take too long. Their answers come later, and change nothing.
    mutating func expireChecks() {
        let late = connections.filter { number, connection in
            connection.phase == .checking
                && connection.checkedSince.map { $0.advanced(by: rules.checkLimit) <= now } == true
        }
        for number in late.keys { connections[number]?.phase = .idle }
        var effects = Machine.Effects()
        machine.expireChecks(at: now, &effects)
        let closed = effects.closings.filter { $0.reason == .invalid }.map(\.lease.number)
        require(Set(closed) == Set(late.keys), "\(closed) were given up, not \(late.keys)")
        apply("checks expire", effects)
        for number in late.keys.sorted() {
            guard let lease = leases[number] else { continue }
            var none = Machine.Effects()
            machine.checked(lease, isValid: true, at: now, &none)
            require(none.served.count == 0 && none.closings.isEmpty, "the late answer of \(number) has an effect")
        }
        check()
    }

    mutating func comeBack(_ number: Int) {
        guard let lease = leases[number] else { return fail("no lease of \(number)") }
        var effects = Machine.Effects()
        connections[number]?.phase = .idle
        connections[number]?.idleSince = now
        let isSuspect = random.index(below: 3) == 0
        connections[number]?.isSuspect = isSuspect
        machine.returned(lease, isSuspect: isSuspect, at: now, &effects)
        apply("returned \(number)", effects)
    }

    mutating func close(_ number: Int) {
        var effects = Machine.Effects()
        connections[number] = nil
        machine.closed(number, at: now, &effects)
        require(effects.isDrained == (!isOpen && connections.isEmpty), "drained: \(effects.isDrained)")
        apply("closed \(number)", effects)
    }

    mutating func close() {
        var effects = Machine.Effects()
        let wasOpen = isOpen
        isOpen = false
        machine.close(&effects)
        require(effects.rejected == (wasOpen ? waiting.map(\.waiter) : []), "rejected \(effects.rejected)")
        for waiter in effects.rejected { resolved[waiter, default: 0] += 1 }
        waiting = []
        sweep = nil
        apply("close", effects)
    }

    mutating func advance(_ duration: Duration) {
        now = now.advanced(by: duration)
        journal.write("now \(now)")
        guard let due = sweep, due <= now else { return }
        sweep = nil
        var effects = Machine.Effects()
        machine.sweep(at: now, &effects)
        apply("sweep", effects)
        let expired = connections.filter {
            $0.value.phase == .idle && expiries(of: $0.value).contains { $0.latest <= now }
        }
        require(expired.isEmpty, "the sweep left \(expired.keys)")
    }
}

extension SeededGenerator {
    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[index(below: elements.count)]
    }
}
