// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import Axiom

@Suite("Validation of the architecture", .timeLimit(.minutes(10)))
struct ArchitectureValidatorTests {
    private func node(_ name: String, _ kind: ComponentKind) -> ComponentDescriptor {
        ComponentDescriptor(kind: kind, name: name)
    }

    private func graph(_ edges: (ComponentDescriptor, ComponentDescriptor)...) -> ComponentGraph {
        var graph = ComponentGraph()
        for (from, to) in edges { graph.add(ComponentDependency(from: from, to: to)) }
        return graph
    }

    private var noHandling: ArchitectureValidator.Options {
        ArchitectureValidator.Options(checksErrorHandling: false)
    }

    @Test("An application that follows the rules has no violations (VAL-01)")
    func clean() {
        let network = node("Network", .capability)
        let graph = graph(
            (node("Cart", .client), network),
            (node("CartContext", .context), node("Cart", .client)),
            (node("CartView", .presentation), node("CartContext", .context)),
            (network, node("Log", .capability))
        )
        #expect(ArchitectureValidator.validate(graph).isEmpty)
    }

    @Test(
        "Each forbidden dependency is a violation of its rule with a remedy and its path (VAL-01)",
        arguments: [
            (ComponentKind.client, ComponentKind.client, ArchitectureRule.clientToClient),
            (.context, .capability, .contextToCapability), (.capability, .client, .capabilityDependencies),
            (.capability, .context, .capabilityDependencies), (.client, .context, .wrongFlow),
            (.presentation, .client, .wrongFlow), (.context, .presentation, .wrongFlow),
        ]
    )
    func forbidden(_ from: ComponentKind, _ to: ComponentKind, _ rule: ArchitectureRule) throws {
        let violations = ArchitectureValidator.validate(graph((node("A", from), node("B", to))), noHandling)
        let violation = try #require(violations.first)
        #expect(violations.count == 1)
        #expect(violation.rule == rule)
        #expect(violation.severity == .error)
        #expect(violation.path == ["A", "B"])
        #expect(violation.suggestedFix.isEmpty == false)
        #expect(violation.message.hasPrefix("The \(from.rawValue) A depends on the \(to.rawValue) B, but a "))
    }

    @Test("Capabilities may depend on each other unless they have to be leaves (VAL-01)")
    func leaves() throws {
        let graph = graph((node("A", .capability), node("B", .capability)))
        #expect(ArchitectureValidator.validate(graph, noHandling).isEmpty)
        let violation = try #require(ArchitectureValidator.validate(graph, .capabilitiesAreLeaves).first)
        #expect(violation.rule == .capabilityDependencies)
        #expect(violation.path == ["A", "B"])
    }

    @Test("A cycle is reported once, with its path and the text that a start would throw (VAL-01)")
    func cycle() throws {
        let (a, b, c) = (node("A", .capability), node("B", .capability), node("C", .capability))
        let violations = ArchitectureValidator.validate(graph((a, b), (b, c), (c, a)), noHandling)
        let violation = try #require(violations.first)
        let thrown = CompositionError.capabilityCycle(ComponentGraph.Cycle(path: [a, b, c, a]))
        #expect(violations.count == 1)
        #expect(violation.path == ["A", "B", "C", "A"])
        #expect(violation.message == thrown.message)
        #expect(violation.suggestedFix == thrown.recoverySuggestion)
    }

    @Test("A context that is registered as recursive may contain itself (VAL-01)")
    func recursive() {
        let comment = node("Comment", .context)
        var graph = graph((comment, comment))
        #expect(ArchitectureValidator.validate(graph).map(\.rule) == [.cycle])
        graph.recursiveContexts = [comment]
        #expect(ArchitectureValidator.validate(graph).isEmpty)
    }

    @Test("A client or a capability that no context uses has no error handling (VAL-01)")
    func missingErrorHandling() {
        var graph = graph((node("Screen", .context), node("Used", .client)))
        graph.add(ComponentDependency(from: node("Unused", .client), to: node("Storage", .capability)))
        let violations = ArchitectureValidator.validate(graph)
        #expect(violations.map(\.path) == [["Unused"], ["Storage"]])
        #expect(violations.allSatisfy { $0.rule == .missingErrorHandling && $0.severity == .warning })
    }

    @Test("A violation is written and read as JSON (VAL-01)")
    func codable() throws {
        let violations = ArchitectureValidator.validate(graph((node("A", .client), node("B", .client))), noHandling)
        let data = try JSONEncoder().encode(violations)
        #expect(try JSONDecoder().decode([ArchitectureViolation].self, from: data) == violations)
    }

    @Test("A hundred components in four layers are valid; framework/validation.100 has the time (VAL-02)")
    func layers() {
        var graph = ComponentGraph()
        for index in 0..<100 {
            let kind = [ComponentKind.capability, .client, .context, .presentation][index / 25]
            graph.add(node("N\(index)", kind))
            for step in [24, 25, 26] where index >= 25 {
                let below = (index - step) / 25
                guard index >= step, below == index / 25 - 1 else { continue }
                graph.add(ComponentDependency(from: node("N\(index)", kind), to: graph.nodes[index - step]))
            }
        }
        #expect(graph.nodes.count == 100)
        #expect(ArchitectureValidator.validate(graph).filter { $0.severity == .error }.map(\.rule) == [])
    }

    @Test("The graphs of a dry run and of a running application have the same violations (VAL-01)")
    @MainActor
    func orchestrator() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(PingClient.self) { PingClient($0, Journal()) }
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(ScriptContext.self) { try ScriptContext($0) }
        let report = orchestrator.validate()
        #expect(ArchitectureValidator.validate(report.graph).map(\.path) == [["PingClient"]])
        try await orchestrator.start()
        _ = try orchestrator.makeContext(ScriptContext.self)
        #expect(ArchitectureValidator.validate(orchestrator.graph).map(\.path) == [["PingClient"]])
        #expect(ArchitectureValidator.validate(orchestrator.graph, noHandling).isEmpty)
        await orchestrator.shutdown()
    }
}

@Suite("Detection of circular dependencies", .timeLimit(.minutes(10)))
struct ShortestCycleTests {
    /// The length of a shortest cycle through a node, by sets of nodes that are reached in so many steps.
    private func referenceLength(_ graph: ComponentGraph, _ node: ComponentDescriptor) -> Int? {
        var reached: Set<ComponentDescriptor> = [node]
        for length in 1...max(1, graph.nodes.count) {
            reached = Set(reached.flatMap { graph.dependencies(of: $0) })
            if reached.contains(node) { return length }
        }
        return nil
    }

    @Test(
        "Reported cycles are real, shortest, complete and reported once on random graphs (VAL-05)",
        arguments: 0..<300
    )
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...14, using: &random)
        let kinds = ComponentKind.allCases.filter { $0 != .orchestrator }
        let nodes = (0..<count).map { ComponentDescriptor(kind: kinds.randomElement(using: &random)!, name: "N\($0)") }
        var graph = ComponentGraph()
        for node in nodes { graph.add(node) }
        for _ in 0..<Int.random(in: 0...(count * 2), using: &random) {
            graph.add(
                ComponentDependency(
                    from: nodes.randomElement(using: &random)!,
                    to: nodes.randomElement(using: &random)!
                )
            )
        }
        let cycles = graph.shortestCycles.map(\.path)
        let lengths = nodes.map { referenceLength(graph, $0) }
        #expect(cycles.isEmpty == lengths.allSatisfy { $0 == nil }, "seed \(seed)")
        for cycle in cycles {
            #expect(cycle.first == cycle.last && Set(cycle).count == cycle.count - 1, "seed \(seed)")
            for (from, to) in zip(cycle, cycle.dropFirst()) {
                #expect(graph.dependencies(of: from).contains(to), "seed \(seed)")
            }
            let isShortest = cycle.dropLast().contains { referenceLength(graph, $0) == cycle.count - 1 }
            #expect(isShortest, "seed \(seed)")
        }
        for (node, length) in zip(nodes, lengths) {
            guard let length else { continue }
            #expect(cycles.contains { $0.contains(node) && $0.count - 1 == length }, "seed \(seed)")
        }
        #expect(Set(cycles.map { Set($0) }).count <= cycles.count)
        #expect(Set(cycles).count == cycles.count, "seed \(seed)")
    }

    @Test(
        "Each violation on a random graph is an edge that the rules forbid, and each such edge is one (VAL-01)",
        arguments: 0..<300
    )
    func violations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let kinds = ComponentKind.allCases.filter { $0 != .orchestrator }
        let nodes = (0..<12).map { ComponentDescriptor(kind: kinds.randomElement(using: &random)!, name: "N\($0)") }
        var graph = ComponentGraph()
        for _ in 0..<20 {
            graph.add(
                ComponentDependency(
                    from: nodes.randomElement(using: &random)!,
                    to: nodes.randomElement(using: &random)!
                )
            )
        }
        let allowed: Set<[ComponentKind]> = [
            [.capability, .capability], [.client, .capability], [.context, .client], [.context, .context],
            [.presentation, .context], [.request, .client],
        ]
        let forbidden = graph.edges.filter { !allowed.contains([$0.from.kind, $0.to.kind]) }
        let violations = ArchitectureValidator.validate(graph)
        let ofEdges = violations.filter { $0.rule != .cycle && $0.rule != .missingErrorHandling }
        #expect(ofEdges.map(\.path) == forbidden.map { [$0.from.name, $0.to.name] }, "seed \(seed)")
        #expect(violations == ArchitectureValidator.validate(graph))
    }

    @Test("A cycle through a dependency begins and ends with its start (VAL-05)")
    func throughEdge() {
        var graph = ComponentGraph()
        let nodes = (0..<3).map { ComponentDescriptor(kind: .context, name: "N\($0)") }
        for index in 0..<3 { graph.add(ComponentDependency(from: nodes[index], to: nodes[(index + 1) % 3])) }
        #expect(graph.cycle(through: graph.edges[1])?.path == [nodes[1], nodes[2], nodes[0], nodes[1]])
        #expect(graph.shortestCycles.map(\.path) == [[nodes[0], nodes[1], nodes[2], nodes[0]]])
    }
}
