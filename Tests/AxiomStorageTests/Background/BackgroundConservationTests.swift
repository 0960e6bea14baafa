// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("Background tasks under concurrent calls", .timeLimit(.minutes(10)))
@MainActor
struct BackgroundConservationTests {
    @Test("No two bodies of one name overlap, and every task that started ends with the shutdown (BGT-01, BGT-02)")
    func concurrent() async throws {
        let seed = TestSeed.drawn()
        let world = try await BackgroundWorld()
        let (tasks, watch) = (world.tasks, OverlapWatch())
        let rounds = PoolModelTests.count(20_000)
        await withTaskGroup(of: Void.self) { group in
            for stream in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed, stream: UInt64(stream))
                    for _ in 0..<(rounds / 4) { await Self.call(tasks, watch, &random) }
                }
            }
        }
        await world.orchestrator.shutdown()
        let counts = await tasks.counts
        #expect(watch.most == 1 && watch.now == 0 && watch.entries > 0)
        #expect(counts.running == 0 && counts.waiting == 0 && counts.started == counts.ended)
        #expect(counts.scheduled == counts.started + counts.withdrawn, "\(counts)")
    }

    private nonisolated static func call(
        _ tasks: BackgroundTasks,
        _ watch: OverlapWatch,
        _ random: inout SeededGenerator
    ) async {
        let name = "task \(random.index(below: 3))"
        let yields = random.index(below: 3)
        switch random.index(below: 10) {
        case 0: _ = try? await tasks.cancel(name)
        case 1: await tasks.cancelAll()
        default:
            let interval: Duration? = random.index(below: 2) == 0 ? nil : .seconds(1)
            try? await tasks.schedule(name, every: interval) {
                watch.enter(name)
                defer { watch.leave(name) }
                for _ in 0..<yields { await Task.yield() }
            }
        }
    }

    @Test("10,000 random histories of the table start each task once or withdraw it, one at a time (BGT-01)")
    func histories() {
        let seed = TestSeed.drawn()
        for history in 0..<PoolModelTests.count(10_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            var model = TableModel()
            for _ in 0..<40 { model.step(&random) }
            model.finish()
            #expect(model.problems.isEmpty, "history \(history): \(model.problems)")
            if !model.problems.isEmpty { return }
        }
    }
}

/// Accounts for tasks by the effects of the table alone.
private struct TableModel {
    private typealias Table = BackgroundTaskTable<Int>

    private var table = Table()
    private var running: [String: Int] = [:]
    private var cancelled: Set<Int> = []
    private var latest: [String: Int] = [:]
    private var started: Set<Int> = []
    private(set) var problems: [String] = []

    mutating func step(_ random: inout SeededGenerator) {
        let name = ["a", "b"][random.index(below: 2)]
        var effects = Table.Effects()
        switch random.index(below: 8) {
        case 0...2: latest[name] = table.schedule(name, 0, &effects)
        case 3:
            _ = table.cancel(name, &effects)
            latest[name] = nil
        case 4: if let number = latest[name] { withdraw(number, name) }
        default: if let number = running.removeValue(forKey: name) { table.ended(number, name, &effects) }
        }
        apply(effects)
    }

    /// A task that runs is not withdrawn.
    private mutating func withdraw(_ number: Int, _ name: String) {
        _ = table.withdraw(number, name)
        if running[name] != number { latest[name] = nil }
    }

    mutating func finish() {
        var effects = Table.Effects()
        table.end(&effects)
        latest = [:]
        apply(effects)
        for (name, number) in running {
            var effects = Table.Effects()
            table.ended(number, name, &effects)
            if !effects.starts.isEmpty { problems.append("\(name) started after the end") }
        }
        var late = Table.Effects()
        if table.schedule("c", 0, &late) != nil { problems.append("scheduled after the end") }
        let counts = table.counts
        let isConserved =
            counts.running == 0 && counts.waiting == 0 && counts.started == counts.ended
            && counts.scheduled == counts.started + counts.withdrawn && counts.started == started.count
        if !isConserved { problems.append("\(counts)") }
    }

    private mutating func apply(_ effects: Table.Effects) {
        for number in effects.cancellations {
            if !cancelled.insert(number).inserted { problems.append("\(number) was cancelled twice") }
        }
        for (number, name, _) in effects.starts {
            if running[name] != nil { problems.append("\(number) overlaps \(running[name] ?? 0)") }
            if latest[name] != number { problems.append("\(number) started, but \(latest[name] ?? 0) is the newest") }
            if !started.insert(number).inserted { problems.append("\(number) started twice") }
            running[name] = number
        }
        let alive = running.filter { !cancelled.contains($0.value) }.keys
        let names = Set(alive).union(latest.filter { !started.contains($0.value) }.keys)
        if table.names != names.sorted() { problems.append("\(table.names) instead of \(names)") }
    }
}
