// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("Component graph (VAL-04)")
struct ComponentGraphTests {
    private func node(_ number: Int, _ kind: ComponentKind = .capability) -> ComponentDescriptor {
        ComponentDescriptor(kind: kind, name: "N\(number)")
    }

    /// A graph without cycles: every edge leads from a higher to a lower rank, and ranks are dealt at random.
    private func acyclic(_ random: inout SeededGenerator) -> ComponentGraph {
        let count = Int.random(in: 1...40, using: &random)
        let ranked = (0..<count).shuffled(using: &random)
        var graph = ComponentGraph()
        for number in (0..<count).shuffled(using: &random) { graph.add(node(number)) }
        for _ in 0..<Int.random(in: 0...(count * 3), using: &random) {
            let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            guard one != other else { continue }
            let edge = (from: ranked[max(one, other)], to: ranked[min(one, other)])
            graph.add(ComponentDependency(from: node(edge.from), to: node(edge.to)))
        }
        return graph
    }

    @Test("In any graph without cycles, every node comes once and after all that it depends on", arguments: 0..<200)
    func topologicalOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let graph = acyclic(&random)
        let order = try graph.topologicalOrder()
        #expect(order.count == graph.nodes.count)
        let position = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        #expect(Set(position.keys) == Set(graph.nodes))
        for edge in graph.edges {
            let (from, to) = (try #require(position[edge.from]), try #require(position[edge.to]))
            #expect(to < from)
        }
    }

    @Test("A cycle planted in any graph is found, and its path follows edges back to its start", arguments: 0..<200)
    func cycle(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var graph = acyclic(&random)
        let length = Int.random(in: 1...min(8, graph.nodes.count), using: &random)
        let planted = Array(graph.nodes.shuffled(using: &random).prefix(length))
        for (index, from) in planted.enumerated() {
            graph.add(ComponentDependency(from: from, to: planted[(index + 1) % length]))
        }
        let cycle = try #require(throws: ComponentGraph.Cycle.self) { try graph.topologicalOrder() }
        #expect(cycle.path.count >= 2)
        #expect(cycle.path.first == cycle.path.last)
        #expect(Set(cycle.path).count == cycle.path.count - 1)
        let edges = Set(graph.edges)
        for (from, to) in zip(cycle.path, cycle.path.dropFirst()) {
            #expect(edges.contains(ComponentDependency(from: from, to: to)))
        }
    }

    @Test("The same additions give the same order, and the same cycle")
    func deterministic() throws {
        for seed in 0..<50 as Range<UInt64> {
            var (one, other) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
            #expect(try acyclic(&one).topologicalOrder() == acyclic(&other).topologicalOrder())
        }
    }

    @Test("A cycle is described by the names along its way")
    func description() throws {
        var graph = ComponentGraph()
        for (from, to) in [(0, 1), (1, 2), (2, 1)] {
            graph.add(ComponentDependency(from: node(from), to: node(to)))
        }
        let cycle = try #require(throws: ComponentGraph.Cycle.self) { try graph.topologicalOrder() }
        #expect(cycle.description == "N1 → N2 → N1")
    }

    @Test("A chain of 100,000 nodes is sorted without exhausting the stack")
    func deepChain() throws {
        var graph = ComponentGraph()
        for number in 0..<100_000 {
            graph.add(ComponentDependency(from: node(number), to: node(number + 1)))
        }
        #expect(try graph.topologicalOrder().first == node(100_000))
    }

    @Test("Adding a node or an edge again changes nothing")
    func idempotent() {
        var graph = ComponentGraph()
        let edge = ComponentDependency(from: node(0), to: node(1))
        let isNew = graph.add(edge)
        let isNewAgain = graph.add(edge)
        graph.add(node(0))
        #expect(isNew)
        #expect(!isNewAgain)
        #expect(graph.nodes == [node(0), node(1)])
        #expect(graph.edges == [edge])
        #expect(graph.dependencies(of: node(0)) == [node(1)])
    }

    @Test("The part of one kind keeps its own nodes and the edges among them")
    func restricted() {
        var graph = ComponentGraph()
        graph.add(ComponentDependency(from: node(0, .client), to: node(1)))
        graph.add(ComponentDependency(from: node(1), to: node(2)))
        let part = graph.restricted(to: .capability)
        #expect(part.nodes == [node(1), node(2)])
        #expect(part.edges == [ComponentDependency(from: node(1), to: node(2))])
    }

    @Test("An edge is a part of a cycle where a walk from its end comes back to its beginning", arguments: 0..<100)
    func cyclesThroughEdges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...12, using: &random)
        var graph = ComponentGraph()
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let ends = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            graph.add(ComponentDependency(from: node(ends.0), to: node(ends.1)))
        }
        for edge in graph.edges {
            // Whatever can be reached, by as many steps as there are nodes.
            var reached: Set = [edge.to]
            for _ in 0..<count { reached.formUnion(reached.flatMap { graph.dependencies(of: $0) }) }
            let cycle = graph.cycle(through: edge)
            #expect((cycle != nil) == reached.contains(edge.from))
            guard let path = cycle?.path else { continue }
            #expect(path.first == edge.from && path.last == edge.from && path[1] == edge.to)
            for (from, to) in zip(path, path.dropFirst()) { #expect(graph.dependencies(of: from).contains(to)) }
            #expect(Set(path.dropFirst()).count == path.count - 1)
        }
    }

    @Test("The rules allow what scopes resolve, and nothing else")
    func objections() {
        let allowed: Set<String> = [
            "capability capability", "client capability", "context client", "context context", "presentation context",
            "request client",
        ]
        for from in ComponentKind.allCases where from != .orchestrator {
            for to in ComponentKind.allCases {
                let objection = ComponentDependency(from: node(1, from), to: node(2, to)).objection
                #expect((objection == nil) == allowed.contains("\(from) \(to)"), "\(from) \(to)")
            }
        }
    }
}
