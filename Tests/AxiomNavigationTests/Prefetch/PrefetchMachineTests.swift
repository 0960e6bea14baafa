// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomNavigation

@Suite("Prefetch machine", .timeLimit(.minutes(10)))
struct PrefetchMachineTests {
    @Test("Over random histories no load is lost, no limit is exceeded, and each value is handed out once (NAV-17)")
    func laws() {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(4_000) {
            var history = PrefetchHistory(using: &generator)
            for _ in 0..<150 {
                history.step(using: &generator)
                if let broken = history.brokenLaw {
                    Issue.record("\(broken)")
                    return
                }
            }
            history.finish()
            #expect(history.brokenLaw == nil && history.waiting.isEmpty && history.running.isEmpty)
        }
    }
}

/// A machine, and what a plain observer knows of it.
private struct PrefetchHistory {
    final class Waiter: Sendable {
        let key: Int
        init(_ key: Int) { self.key = key }
    }

    typealias Machine = PrefetchMachine<Int, Waiter>

    private let budget: PrefetchBudget
    private var machine: Machine
    private var now = Instant(nanoseconds: 0)
    /// Loaders that have not returned.
    private(set) var running: [UInt64: Machine.Start] = [:]
    private var cancelled: Set<UInt64> = []
    private(set) var waiting: [Waiter] = []
    /// When each value was loaded. A value is the number of its load.
    private var loaded: [UInt64: Instant] = [:]
    private var handedOut: Set<UInt64> = []
    private var begun = 0
    private var outcomes: [PrefetchOutcome: Int] = [:]
    private(set) var brokenLaw: String?

    init(using generator: inout SplitMix64) {
        var budget = PrefetchBudget()
        budget.loadsAtOnce = .random(in: 1...3, using: &generator)
        budget.keptValues = .random(in: 1...4, using: &generator)
        budget.lifetime = .seconds(10)
        self.budget = budget
        machine = Machine(budget)
    }

    mutating func step(using generator: inout SplitMix64) {
        now = now.advanced(by: .milliseconds(.random(in: 0...2_000, using: &generator)))
        let key = Int.random(in: 0..<6, using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...2: want(using: &generator)
        case 3...5: ask(key)
        case 6: if let waiter = waiting.randomElement(using: &generator) { leave(waiter) }
        case 7...9: if let start = anyRunning(using: &generator) { end(start, fails: key == 0) }
        case 10: if let start = anyRunning(using: &generator) { apply(machine.expire(start)) }
        default: if key == 0 { apply(machine.clear()) }
        }
        check()
    }

    /// The order does not depend on the hashes of this process, so that a seed repeats the history.
    private func anyRunning(using generator: inout SplitMix64) -> Machine.Start? {
        running.values.sorted { $0.id < $1.id }.randomElement(using: &generator)
    }

    /// Lets every loader return.
    mutating func finish() {
        apply(machine.want([], at: now))
        while let start = running.values.first { end(start, fails: false) }
        apply(machine.clear())
        check()
        demand(machine.counts.loading == 0 && machine.counts.kept == 0, "something is left")
    }

    private mutating func want(using generator: inout SplitMix64) {
        let keys = (0..<Int.random(in: 0...5, using: &generator)).map { _ in Int.random(in: 0..<6, using: &generator) }
        let own = Set([Int.random(in: 0..<6, using: &generator)])
        apply(machine.want(keys.map { Machine.Wish(key: $0, identifier: "r") }, keeping: own, at: now))
        let wanted = own.union(keys)
        let stray = running.values.first {
            machine.status(of: $0).isAwaited && !wanted.contains($0.key) && !waits(for: $0.key)
        }
        demand(stray == nil, "a load that is not likely was not cancelled")
    }

    private mutating func ask(_ key: Int) {
        let waiter = Waiter(key)
        let (answer, effects) = machine.ask(key, waiter, at: now)
        apply(effects)
        switch answer {
        case .value(let value): handOut(value)
        case .wait: waiting.append(waiter)
        case .absent: break
        }
    }

    private mutating func leave(_ waiter: Waiter) {
        waiting.removeAll { $0 === waiter }
        apply(machine.leave(waiter.key, waiter))
    }

    private mutating func end(_ start: Machine.Start, fails: Bool) {
        running[start.id] = nil
        loaded[start.id] = now
        apply(machine.end(start, fails || cancelled.contains(start.id) ? nil : start.id, at: now))
    }

    private mutating func apply(_ effects: Machine.Effects) {
        for start in effects.starts {
            begun += 1
            demand(
                !running.values.contains { $0.key == start.key && !cancelled.contains($0.id) },
                "two loads of one key"
            )
            running[start.id] = start
        }
        for id in effects.cancels {
            demand(running[id] != nil && cancelled.insert(id).inserted, "cancelled what does not run")
        }
        for (outcome, _) in effects.outcomes { outcomes[outcome, default: 0] += 1 }
        var values: Set<UInt64> = []
        for (waiter, value) in effects.settled {
            demand(waiting.contains { $0 === waiter }, "settled a waiter twice")
            waiting.removeAll { $0 === waiter }
            if let id = value as? UInt64 { values.insert(id) }
        }
        for id in values { handOut(id) }
    }

    private mutating func handOut(_ value: any Sendable) {
        guard let id = value as? UInt64, let since = loaded[id] else { return demand(false, "a value from nowhere") }
        demand(handedOut.insert(id).inserted, "a value was handed out twice")
        demand(now.duration(since: since) < budget.lifetime, "a value was too old")
    }

    private func waits(for key: Int) -> Bool { waiting.contains { $0.key == key } }

    private mutating func check() {
        let counts = machine.counts
        demand(counts.begun == begun && machine.running == running.count, "loads are lost")
        demand(begun == counts.used + counts.failed + counts.dropped + counts.loading + counts.kept, "\(counts)")
        demand(counts.loaded >= counts.used + counts.kept, "\(counts)")
        demand(running.count <= budget.loadsAtOnce && counts.kept <= budget.keptValues, "a limit is exceeded")
        let told = [counts.loaded, counts.used, counts.failed, counts.dropped]
        demand(told == PrefetchOutcome.allCases.map { outcomes[$0] ?? 0 }, "outcomes differ from the counts")
        demand(counts.used == handedOut.count, "used values differ from those handed out")
    }

    private mutating func demand(_ holds: Bool, _ law: @autoclosure () -> String) {
        if !holds, brokenLaw == nil { brokenLaw = law() }
    }
}
