// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What the capabilities of a ``Web`` do, and what they noted: one for each capability type.
private struct LinkRecord: Sendable {
    /// The number of the instance that was initialised last, and those of the instances that it derived from.
    var initialized: (number: Int, derivedFrom: [Int: Int])?
    /// Whether the last attempt to initialise it was made to fail.
    var wasBroken = false
}

/// Capabilities that derive something from those below them when they are initialised.
private final class Web: Sendable {
    /// What each capability depends on.
    let below: [Int: [Int]]
    /// Those that can do without what they depend on.
    let tolerant: Set<Int>
    private let records = Lock<[Int: LinkRecord]>([:])
    private let random: Lock<SeededGenerator>
    private let lastNumber = Lock(0)
    /// One attempt in so many fails; 0 for none.
    private let failing = Lock(0)

    init(seed: UInt64, count: Int) {
        var random = SeededGenerator(seed: seed)
        let ranked = (0..<count).shuffled(using: &random)
        var below: [Int: [Int]] = [:]
        for rank in 1..<count {
            below[ranked[rank]] = ranked[0..<rank].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        }
        self.below = below
        tolerant = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        self.random = Lock(random)
    }

    func failOnce(in attempts: Int) { failing.withLock { $0 = attempts } }

    func record(_ index: Int) -> LinkRecord { records.withLock { $0[index] ?? LinkRecord() } }

    func pick(_ range: Range<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }

    func number() -> Int {
        lastNumber.withLock { number in
            number += 1
            return number
        }
    }

    func note(_ index: Int, _ change: @Sendable (inout LinkRecord) -> Void) {
        records.withLock { change(&$0[index, default: LinkRecord()]) }
    }

    /// Whether the next attempt is to fail.
    func isBroken() -> Bool {
        let attempts = failing.withLock { $0 }
        return attempts > 0 && pick(0..<attempts) == 0
    }

    @MainActor
    func register(in orchestrator: Orchestrator) {
        for index in 0..<partTags.count { register(partTags[index], in: orchestrator) }
    }

    @MainActor
    private func register<Tag: PartTag>(_ tag: Tag.Type, in orchestrator: Orchestrator) {
        orchestrator.register(Link<Tag>.self) { try Link<Tag>($0, self) }
    }
}

private actor Link<Tag: PartTag>: Capability {
    nonisolated static var componentName: String { "L\(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    nonisolated let number: Int
    private let web: Web
    private var below: [Int: @Sendable () throws -> Int] = [:]

    init(_ scope: borrowing CapabilityScope, _ web: Web) throws {
        identity = scope.identity
        number = web.number()
        self.web = web
        for index in web.below[Tag.index, default: []] { below[index] = try Self.number(of: partTags[index], scope) }
    }

    private static func number<Other: PartTag>(
        of other: Other.Type,
        _ scope: borrowing CapabilityScope
    ) throws -> @Sendable () throws -> Int {
        let ref = try scope.capability(Link<Other>.self)
        return { try ref.current().number }
    }

    func initialize() async throws {
        web.note(Tag.index) { ($0.initialized, $0.wasBroken) = (nil, false) }
        for _ in 0..<web.pick(0..<4) { await Task.yield() }
        if web.isBroken() {
            web.note(Tag.index) { $0.wasBroken = true }
            throw SampleError("L\(Tag.index) is broken")
        }
        var derived: [Int: Int] = [:]
        for (index, number) in below {
            derived[index] = web.tolerant.contains(Tag.index) ? try? number() : try number()
        }
        for _ in 0..<web.pick(0..<4) { await Task.yield() }
        let (number, derivedFrom) = (number, derived)
        web.note(Tag.index) { $0.initialized = (number, derivedFrom) }
    }

    func terminate() async {
        for _ in 0..<web.pick(0..<3) { await Task.yield() }
    }
}

@MainActor
@Suite("The order of capabilities that change", .timeLimit(.minutes(10)))
struct CapabilityOrderTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func change<Tag: PartTag>(_ tag: Tag.Type, _ change: CapabilityChange) async {
        try? await orchestrator.capabilityChanged(Link<Tag>.self, change)
    }

    private func changeAll() async throws {
        guard let capabilities = orchestrator.capabilities else { return }
        let change = try capabilities.enqueue(Set(capabilities.nodes.map(\.descriptor)))
        _ = try await capabilities.carryOut(change, because: .serviceRestored)
    }

    private func changeAtRandom(_ web: Web) async {
        let kind = CapabilityChange.allCases[web.pick(0..<CapabilityChange.allCases.count)]
        if web.pick(0..<12) == 0 {
            try? await changeAll()
        } else {
            await change(partTags[web.pick(0..<partTags.count)], kind)
        }
    }

    /// Many changes from many tasks; returns when all have ended.
    private func storm(_ web: Web) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<3 { await changeAtRandom(web) }
                }
            }
        }
    }

    private func level(_ index: Int) throws -> DegradationLevel {
        let nodes = try #require(orchestrator.capabilities).order
        return try #require(nodes.first { $0.descriptor.name == "L\(index)" }).degradation
    }

    /// Each works on the present instances of what it depends on, and works unless it was made to fail itself or what it
    /// cannot do without does not work.
    private func check(_ web: Web, _ seed: UInt64) throws {
        for index in 0..<partTags.count {
            let (record, below) = (web.record(index), web.below[index, default: []])
            let works = try level(index) != .unavailable
            let missing = try below.filter { try level($0) == .unavailable }
            guard works else {
                let reason = record.wasBroken || !(missing.isEmpty || web.tolerant.contains(index))
                #expect(reason, "seed \(seed): L\(index) does not work, although it could")
                continue
            }
            let derived = try #require(record.initialized, "seed \(seed): L\(index) works without an initialisation")
            for lower in below {
                let present = try level(lower) == .unavailable ? nil : web.record(lower).initialized?.number
                let used = derived.derivedFrom[lower]
                #expect(used == present, "seed \(seed): L\(index) derives from an instance of L\(lower) that has gone")
            }
        }
    }

    @Test(
        "After concurrent changes and failures each works on the present instances of its dependencies",
        arguments: 0..<40
    )
    func randomChanges(seed: UInt64) async throws {
        let web = Web(seed: seed, count: partTags.count)
        web.register(in: orchestrator)
        try await orchestrator.start()
        try check(web, seed)
        for _ in 0..<3 {
            web.failOnce(in: web.pick(0..<3) == 0 ? 0 : 6)
            await storm(web)
            try check(web, seed)
        }
        web.failOnce(in: 0)
        for index in web.below.keys.sorted() { await change(partTags[index], .serviceRestored) }
        await change(partTags[0], .serviceRestored)
        try await changeAll()
        for index in 0..<partTags.count { #expect(try level(index) != .unavailable, "seed \(seed)") }
        try check(web, seed)
        await orchestrator.shutdown()
    }

    @Test("Changes of a capability and of one that depends on it, made at the same time, leave both available")
    func baseAndUpper() async throws {
        for seed in UInt64(0)..<20 {
            let orchestrator = Orchestrator(limits: .endless)
            var machine = PartMachine()
            machine.dependencies = [1: [0]]
            machine.onInitialize = { _ in for _ in 0..<Int(seed % 5) { await Task.yield() } }
            machine.register(0..<2, in: orchestrator)
            let refs = References(orchestrator)
            try await orchestrator.start()
            async let base: Void = orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
            async let upper: Void = orchestrator.capabilityChanged(Part<P1>.self, .serviceRestored)
            _ = try await (base, upper)
            #expect(try refs.level(P0.self) == .full && refs.level(P1.self) == .full)
            #expect(machine.order(of: "initialized").last == 1)
            await orchestrator.shutdown()
        }
    }

    @Test("What depends on a capability that changes is terminated before it and initialised after it")
    func dependentsComeAlong() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1], 3: []]
        machine.register(0..<4, in: orchestrator)
        try await orchestrator.start()
        let before = machine.journal.entries.count
        try await orchestrator.capabilityChanged(Part<P0>.self, .permissionGranted)
        let expected =
            ["terminated P2", "terminated P1", "terminated P0"]
            + (0..<3).flatMap { ["begin P\($0)", "initialized P\($0)"] }
        #expect(Array(machine.journal.entries.dropFirst(before)) == expected)
    }

    @Test("Changes that share no capability do not wait for each other")
    func independent() async throws {
        var machine = PartMachine()
        let gate = Gate()
        let journal = machine.journal
        machine.onInitialize = { index in
            if index == 0, journal.entries.contains("initialized P0") { await gate.wait() }
        }
        machine.register(0..<2, in: orchestrator)
        try await orchestrator.start()
        let slow = Task { try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored) }
        await journal.wait(for: "terminated P0")
        try await orchestrator.capabilityChanged(Part<P1>.self, .serviceRestored)
        #expect(!machine.order(of: "initialized").dropFirst(2).contains(0))
        gate.open()
        try await slow.value
    }

    @Test("A capability that comes to depend on one that is just being replaced is initialised after it as well")
    func newDependency() async throws {
        let (gate, isLater) = (Gate(), Box<Bool>())
        var machine = PartMachine()
        let journal = machine.journal
        machine.onInitialize = { index in if index == 0, isLater.value == true { await gate.wait() } }
        let parts = machine
        orchestrator.register(Part<P1>.self) { scope in
            if isLater.value == true { _ = try scope.capability(Part<P0>.self) }
            return try Part(scope, parts)
        }
        machine.register([0], in: orchestrator)
        try await orchestrator.start()
        isLater.put(true)
        let base = Task { try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored) }
        await journal.wait { $0.count { $0 == "begin P0" } == 2 }
        try await orchestrator.capabilityChanged(Part<P1>.self, .serviceRestored)
        gate.open()
        try await base.value
        #expect(machine.order(of: "initialized").suffix(3) == [1, 0, 1])
        #expect(machine.order(of: "terminated").count { $0 == 1 } == 2)
    }
}

@Suite("The queue of changes")
struct CapabilityChangeQueueTests {
    private static func component(_ index: Int) -> ComponentDescriptor {
        ComponentDescriptor(kind: .capability, name: "C\(index)")
    }

    @Test(
        "Changes under way share no capability, those that share one keep their order, and all begin",
        arguments: 0..<100
    )
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var graph = ComponentGraph()
        for index in 0..<8 {
            graph.add(Self.component(index))
            for lower in 0..<index where Int.random(in: 0..<4, using: &random) == 0 {
                graph.add(ComponentDependency(from: Self.component(index), to: Self.component(lower)))
            }
        }
        var queue = CapabilityChangeQueue()
        var waiting: [(ticket: CapabilityChangeQueue.Ticket, affected: Set<ComponentDescriptor>)] = []
        var underWay = waiting
        var left = 60
        while left > 0 || !waiting.isEmpty || !underWay.isEmpty {
            if left > 0, Bool.random(using: &random) {
                left -= 1
                let named: Set = [Self.component(Int.random(in: 0..<8, using: &random))]
                let obstacles = Set(queue.obstacles(of: named, graph))
                let affected = graph.capabilities(dependingOn: named)
                let expected = (waiting + underWay).filter { !$0.affected.isDisjoint(with: affected) }.map(\.ticket)
                #expect(obstacles == Set(expected), "seed \(seed)")
                waiting.append((queue.add(named), affected))
            } else if let index = underWay.indices.randomElement(using: &random) {
                queue.remove(underWay.remove(at: index).ticket)
            }
            for (ticket, taken) in queue.takeReady(graph) {
                guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    Issue.record("seed \(seed): a change began twice")
                    continue
                }
                let earlier = waiting[..<index].map(\.affected) + underWay.map(\.affected)
                #expect(taken == waiting[index].affected, "seed \(seed)")
                #expect(earlier.allSatisfy { $0.isDisjoint(with: taken) }, "seed \(seed)")
                underWay.append(waiting.remove(at: index))
            }
            // What cannot begin waits for something.
            #expect(waiting.isEmpty || !underWay.isEmpty, "seed \(seed)")
        }
    }
}
