// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Rule acceptance: capabilities", .timeLimit(.minutes(10)))
struct CapabilityRules {
    /// Ten capabilities whose dependencies form no cycle, in a random order of registration.
    private func directedAcyclicGraph(_ random: inout SeededGenerator) -> PartMachine {
        var machine = PartMachine()
        let ranked = (0..<10).shuffled(using: &random)
        for rank in 0..<10 {
            machine.dependencies[ranked[rank]] = ranked[0..<rank].filter { _ in random.index(below: 3) == 0 }
        }
        return machine
    }

    /// Everything that depends on `index`, directly or indirectly, with itself.
    private func dependents(of index: Int, _ machine: PartMachine) -> Set<Int> {
        var found: Set<Int> = [index]
        var grew = true
        while grew {
            let next = machine.dependencies.filter { !found.isDisjoint(with: $0.value) }.map(\.key)
            grew = !Set(next).isSubset(of: found)
            found.formUnion(next)
        }
        return found
    }

    /// Whether each capability stands after all on which it depends.
    private func isTopological(_ order: [Int], _ machine: PartMachine) -> Bool {
        order.indices.allSatisfy { position in
            machine.dependencies[order[position], default: []].allSatisfy { !order[position...].contains($0) }
        }
    }

    private func change<Tag: PartTag>(
        _ tag: Tag.Type,
        _ kind: CapabilityChange,
        _ orchestrator: Orchestrator
    )
        async throws
    {
        try await orchestrator.capabilityChanged(Part<Tag>.self, kind)
    }

    @Test(
        "Rule 3: ten capabilities may depend on each other; each cycle is rejected at the start with its path (RUL-03)"
    )
    func rule3() async throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            var machine = directedAcyclicGraph(&random)
            let orchestrator = Orchestrator(clock: .manual(ManualTime()))
            machine.register(0..<10, in: orchestrator)
            try await orchestrator.start()
            await orchestrator.shutdown()
            // An edge from a capability to one of those that depend on it closes a cycle.
            let lower = random.index(below: 10)
            let above = dependents(of: lower, machine)
            let upper = above.sorted()[random.index(below: above.count)]
            machine.dependencies[lower, default: []].append(upper)
            let cyclic = Orchestrator(clock: .manual(ManualTime()))
            machine.register((0..<10).shuffled(using: &random), in: cyclic)
            let error = try await #require(throws: CompositionError.self) { try await cyclic.start() }
            #expect(error.code == .capabilityCycle)
            #expect(error.message.contains("P\(lower)") && error.message.contains("P\(upper)"))
            #expect(machine.order(of: "initialized").count == 10, "nothing of the cyclic graph was initialised")
        }
    }

    @Test(
        "Rule 13: a permission event replaces the capability and its dependents, and every reference follows (RUL-13)"
    )
    func rule13() async throws {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<10 {
            let machine = directedAcyclicGraph(&random)
            let (orchestrator, source) = (Orchestrator(clock: .manual(ManualTime())), ManualSource())
            machine.register(0..<10, in: orchestrator)
            let index = random.index(below: 10)
            monitor(partTags[index], source, orchestrator)
            source.send(.permission(.camera, .limited))
            try await orchestrator.start()
            // The first event describes the start. Until it was carried out, a second one would replace it.
            let component = ComponentDescriptor(kind: .capability, name: "P\(index)")
            await until { orchestrator.degradation.capabilities[component]?.level == .limited }
            let affected = dependents(of: index, machine)
            for status in [PermissionStatus.denied, .granted] {
                let written = machine.journal.entries.count
                source.send(.permission(.camera, status))
                await machine.journal.wait {
                    $0.dropFirst(written).count { $0.hasPrefix("initialized") } == affected.count
                }
                let entries = machine.journal.entries.dropFirst(written)
                let ended = entries.filter { $0.hasPrefix("terminated") }.compactMap(\.last?.wholeNumberValue)
                let begun = entries.filter { $0.hasPrefix("initialized") }.compactMap(\.last?.wholeNumberValue)
                #expect(Set(ended) == affected && Set(begun) == affected)
                #expect(isTopological(ended.reversed(), machine.restricted(to: affected)))
                #expect(isTopological(begun, machine.restricted(to: affected)))
            }
            await orchestrator.shutdown()
        }
    }

    private func monitor<Tag: PartTag>(_ tag: Tag.Type, _ source: ManualSource, _ orchestrator: Orchestrator) {
        orchestrator.monitor(source, for: Part<Tag>.self, debounce: .zero)
    }

    @Test("Rule 15: a fault injected at each level rises through every level above it, and none is left out (RUL-15)")
    func rule15() async throws {
        var graph = RelayGraph()
        (graph.capabilities, graph.clients, graph.contexts) = (10, 1, 3)
        for index in 1..<10 { graph.below[index] = [index - 1] }
        graph.used = [0: [9]]
        let orchestrator = Orchestrator(clock: .manual(ManualTime()))
        graph.register(in: orchestrator)
        try await orchestrator.start()
        let root = try orchestrator.makeContext(Tier<P0>.self)
        let lowest = try #require(root.next?.next)
        graph.handling.put(-1)
        let contexts = ["context 2", "context 1", "context 0", "Orchestrator"]
        for depth in 0...10 {
            let route = Route(
                client: 0,
                capabilities: Array((0..<10).reversed().prefix(depth)),
                fault: SampleError("\(depth)")
            )
            await lowest.send(Errand(route: route))
            let capabilities = route.capabilities.reversed().map { "capability \($0)" }
            let entry = try #require(orchestrator.errorBoundary.current)
            #expect(entry.error as? SampleError == route.fault)
            #expect(entry.path.map(\.name) == capabilities + ["client 0"] + contexts)
        }
        await lowest.send(Errand(route: Route(fault: SampleError("context"))))
        #expect(orchestrator.errorBoundary.current?.path.map(\.name) == contexts)
        #expect(orchestrator.errorBoundary.count == 12)
        await orchestrator.shutdown()
    }

    @Test("Rule 16: ten capabilities are initialised in topological order, at the start and after it (RUL-16)")
    func rule16() async throws {
        var random = SeededGenerator(seed: 16)
        for _ in 0..<30 {
            let machine = directedAcyclicGraph(&random)
            let orchestrator = Orchestrator(clock: .manual(ManualTime()))
            machine.register((0..<10).shuffled(using: &random), in: orchestrator)
            try await orchestrator.start()
            #expect(isTopological(machine.order(of: "initialized"), machine))
            let index = random.index(below: 10)
            try await change(partTags[index], .serviceRestored, orchestrator)
            let affected = dependents(of: index, machine)
            let again = Array(machine.order(of: "initialized").dropFirst(10))
            #expect(Set(again) == affected && isTopological(again, machine.restricted(to: affected)))
            let before = machine.order(of: "terminated").count
            await orchestrator.shutdown()
            let ended = Array(machine.order(of: "terminated").dropFirst(before))
            #expect(ended.count == 10 && isTopological(ended.reversed(), machine))
        }
    }
}

extension PartMachine {
    /// Only these capabilities and the dependencies among them.
    fileprivate func restricted(to kept: Set<Int>) -> PartMachine {
        var machine = self
        machine.dependencies = dependencies.filter { kept.contains($0.key) }.mapValues { $0.filter(kept.contains) }
        return machine
    }
}
