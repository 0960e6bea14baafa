// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import Axiom

/// The queue as its documentation describes it, with the dependents of each component as a table.
private struct QueueReference {
    struct Change {
        let number: Int
        let affected: Set<Int>
        var runs = false
    }

    /// In the order of their arrival.
    var changes: [Change] = []

    mutating func add(_ number: Int, affecting affected: Set<Int>) {
        changes.append(Change(number: number, affected: affected))
    }

    mutating func end(_ number: Int) { changes.removeAll { $0.number == number } }

    /// Begins what shares no component with an earlier change.
    mutating func begin() -> [Int] {
        var begun: [Int] = []
        for index in changes.indices where !changes[index].runs {
            let isFree = changes[..<index].allSatisfy { $0.affected.isDisjoint(with: changes[index].affected) }
            guard isFree else { continue }
            changes[index].runs = true
            begun.append(changes[index].number)
        }
        return begun
    }
}

@Suite("The queue of changes against a reference", .timeLimit(.minutes(10)))
struct ChangeQueueModelTests {
    private static func component(_ index: Int) -> ComponentDescriptor {
        ComponentDescriptor(kind: .capability, name: "C\(index)")
    }

    /// A graph of components, and what depends on each.
    private func graph(_ count: Int, _ random: inout SeededGenerator) -> (ComponentGraph, [Set<Int>]) {
        var (graph, dependents) = (ComponentGraph(), (0..<count).map { Set([$0]) })
        for index in 0..<count {
            graph.add(Self.component(index))
            for lower in 0..<index where random.index(below: 3) == 0 {
                graph.add(ComponentDependency(from: Self.component(index), to: Self.component(lower)))
                for other in 0..<count where dependents[other].contains(lower) { dependents[other].insert(index) }
            }
        }
        return (graph, dependents)
    }

    /// - Returns: Whether the queue did what the reference does.
    private func agrees(_ random: inout SeededGenerator) -> Bool {
        let count = 2 + random.index(below: 5)
        let (graph, dependents) = graph(count, &random)
        var (queue, reference) = (CapabilityChangeQueue(), QueueReference())
        var tickets: [CapabilityChangeQueue.Ticket: Int] = [:]
        for step in 0..<(4 + random.index(below: 12)) {
            let running = reference.changes.filter(\.runs).map(\.number)
            if running.isEmpty || random.index(below: 2) == 0 {
                let named = Set((0..<(1 + random.index(below: 2))).map { _ in random.index(below: count) })
                let affected = named.reduce(into: Set<Int>()) { $0.formUnion(dependents[$1]) }
                let components = Set(named.map(Self.component))
                let obstacles = Set(queue.obstacles(of: components, graph).compactMap { tickets[$0] })
                let expected = reference.changes.filter { !$0.affected.isDisjoint(with: affected) }.map(\.number)
                guard obstacles == Set(expected) else { return false }
                tickets[queue.add(components)] = step
                reference.add(step, affecting: affected)
            } else {
                let ended = running[random.index(below: running.count)]
                guard let ticket = tickets.first(where: { $0.value == ended })?.key else { return false }
                queue.remove(ticket)
                reference.end(ended)
            }
            let begun = queue.takeReady(graph)
            guard begun.compactMap({ tickets[$0.ticket] }) == reference.begin() else { return false }
            for (ticket, taken) in begun {
                let affected = reference.changes.first { $0.number == tickets[ticket] }?.affected
                guard taken == Set((affected ?? []).map(Self.component)) else { return false }
            }
        }
        return true
    }

    @Test("In 100,000 random histories it begins the changes that the reference begins, in the same order (CAP-08)")
    func histories() {
        let seed: UInt64 = 0x0CA9
        print("CapabilityChangeQueue: seed \(seed), \(TestScale.count(100_000)) histories")
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            if !agrees(&random) {
                Issue.record("history \(history) of seed \(seed)")
                return
            }
        }
    }
}
