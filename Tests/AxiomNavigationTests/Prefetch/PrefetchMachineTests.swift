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
    typealias Machine = PrefetchMachine<Int>

    private let budget: PrefetchBudget
    private var machine: Machine
    private var now = Instant(nanoseconds: 0)
    /// Loaders that have not returned.
    private(set) var running: [UInt64: Machine.Start] = [:]
    private var cancelled: Set<UInt64> = []
    /// Screens that have joined a load, once each.
    private(set) var waiting: [Machine.Start] = []
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
        case 0...2: show(using: &generator)
        case 3...5: ask(key)
        case 6: if let waiter = waiting.randomElement(using: &generator) { leave(waiter) }
        case 7...9: if let start = anyRunning(using: &generator) { end(start, fails: key == 0) }
        case 10: if let start = anyRunning(using: &generator) { change { $0.expire(start) } }
        default: if key == 0 { clear() }
        }
        check()
    }

    /// The order does not depend on the hashes of this process, so that a seed repeats the history.
    private func anyRunning(using generator: inout SplitMix64) -> Machine.Start? {
        running.values.sorted { $0.id < $1.id }.randomElement(using: &generator)
    }

    /// Lets every loader return.
    mutating func finish() {
        change { [now] in $0.show([], of: "r", isNew: true, at: now) }
        while let start = running.values.first { end(start, fails: false) }
        clear()
        check()
        demand(machine.counts.loading == 0 && machine.counts.kept == 0, "something is left")
    }

    private mutating func show(using generator: inout SplitMix64) {
        let keys = (0..<Int.random(in: 0...5, using: &generator)).map { _ in Int.random(in: 0..<6, using: &generator) }
        let (isNew, before) = (Bool.random(using: &generator), begun)
        change { [now] in $0.show(keys, of: "r", isNew: isNew, at: now) }
        demand(isNew || begun == before, "a load began for a screen that is there")
        let stray = running.values.first { machine.isAwaited($0) && !keys.contains($0.key) && !waits(for: $0.key) }
        demand(stray == nil, "a load of another route was not cancelled")
    }

    private mutating func ask(_ key: Int) {
        switch change({ [now] in $0.ask(key, at: now) }) {
        case .value(let value): handOut(value)
        case .loading(let start):
            demand(start.key == key && machine.isAwaited(start), "joined a load that is not there")
            waiting.append(start)
        case .absent: demand(!running.values.contains { $0.key == key && machine.isAwaited($0) }, "a load was hidden")
        }
    }

    private mutating func leave(_ start: Machine.Start) {
        if let index = waiting.firstIndex(where: { $0.id == start.id }) { waiting.remove(at: index) }
        let isLast = machine.isAwaited(start) && !waiting.contains { $0.id == start.id }
        change { $0.leave(start) }
        demand(!isLast || cancelled.contains(start.id), "a load outlived its last screen")
    }

    /// The screens that joined the load take its value.
    private mutating func end(_ start: Machine.Start, fails: Bool) {
        running[start.id] = nil
        loaded[start.id] = now
        let joined = waiting.count { $0.id == start.id }
        waiting.removeAll { $0.id == start.id }
        change { [now] machine in
            if fails { machine.failed(start) } else { machine.loaded(start, start.id, at: now) }
            machine.ended(start)
            machine.returned(start)
        }
        for _ in 0..<joined {
            let value = change { [now] in $0.take(start.key, of: start.id, at: now) }
            if let value { handOut(value) }
        }
    }

    private mutating func clear() {
        waiting = []
        change { $0.clear() }
    }

    @discardableResult
    private mutating func change<Result>(_ body: (inout Machine) -> Result) -> Result {
        let result = body(&machine)
        let effects = machine.takeEffects()
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
        return result
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
