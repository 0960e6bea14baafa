// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("Trees of dependencies")
struct DependencyTreeTests {
    private func graph(_ edges: [(Int, Int)]) -> ComponentGraph {
        var graph = ComponentGraph()
        for (from, to) in edges { graph.add(ComponentDependency(from: Self.node(from), to: Self.node(to))) }
        return graph
    }

    private static func node(_ number: Int) -> ComponentDescriptor {
        ComponentDescriptor(kind: .context, name: "N\(number)")
    }

    @Test("A part that two components share is printed once (INS-01)")
    func shared() {
        let graph = graph([(0, 1), (0, 2), (1, 3), (3, 4), (2, 3)])
        #expect(
            graph.tree(of: Self.node(0)) == """
                context N0
                ├─ context N1
                │  └─ context N3
                │     └─ context N4
                └─ context N2
                   └─ context N3 (above)
                """
        )
    }

    @Test("A cycle ends with a mark (INS-01)")
    func cycle() {
        let graph = graph([(0, 1), (1, 0)])
        let text = "context N0\n└─ context N1\n   └─ context N0 (cycle)"
        #expect(graph.tree(of: Self.node(0)) == text)
        #expect(graph.debugDescription == text)
    }

    @Test("Every node and every edge of a random graph is printed once (INS-01)", arguments: 0..<100)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...15, using: &random)
        var graph = ComponentGraph()
        for number in 0..<count { graph.add(Self.node(number)) }
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let (from, to) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            graph.add(ComponentDependency(from: Self.node(from), to: Self.node(to)))
        }
        for node in graph.nodes {
            var (reached, waiting): (Set<ComponentDescriptor>, [ComponentDescriptor]) = ([node], [node])
            while let next = waiting.popLast() {
                for target in graph.dependencies(of: next) where reached.insert(target).inserted {
                    waiting.append(target)
                }
            }
            let edges = reached.reduce(0) { $0 + graph.dependencies(of: $1).count }
            // The root, and one line for each edge.
            #expect(graph.tree(of: node).split(separator: "\n").count == edges + 1, "seed \(seed)")
        }
    }

    @Test("A chain of 2,000 components is printed without exhausting the stack (INS-01)")
    func deep() {
        var graph = ComponentGraph()
        for number in 0..<2_000 { graph.add(ComponentDependency(from: Self.node(number), to: Self.node(number + 1))) }
        #expect(graph.tree(of: Self.node(0)).split(separator: "\n").count == 2_001)
    }
}
