// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Starting and ending capabilities")
struct CapabilityStartTests {
    private let orchestrator = Orchestrator(limits: .endless)

    /// Dependencies without a cycle among ten parts.
    private func randomMachine(_ random: inout SeededGenerator) -> PartMachine {
        var machine = PartMachine()
        let ranked = (0..<10).shuffled(using: &random)
        for rank in 1..<10 {
            let lower = ranked[0..<rank].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            machine.dependencies[ranked[rank]] = lower
        }
        return machine
    }

    private func error<E: Error>(_ type: E.Type, _ machine: PartMachine) async throws -> E {
        try await #require(throws: type) { try await orchestrator.start() }
    }

    #if Instrumented
    @Test("When a required capability fails, the optional ones that failed are reported all the same")
    func otherFailuresAreReported() async throws {
        let recording = RecordingInstrumentation()
        let orchestrator = Orchestrator(instrumentation: recording, limits: .endless)
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        machine.onInitialize = { index in throw SampleError("P\(index) is broken") }
        machine.register([0, 1], in: orchestrator, optional: [0])
        let error = try await #require(throws: CapabilityError.self) { try await orchestrator.start() }
        #expect(error.message.contains("P1"))
        let origins = recording.journal.entries.compactMap { event -> String? in
            if case .ended(_, let origin, _, _) = event { origin } else { nil }
        }
        #expect(origins == ["P0"])
    }
    #endif

    @Test("A change that arrives during a shutdown makes no new instance")
    func changeDuringShutdown() async throws {
        let machine = PartMachine()
        machine.register([0], in: orchestrator)
        try await orchestrator.start()
        let lifecycle = try #require(orchestrator.capabilities)
        await orchestrator.shutdown()
        let component = ComponentDescriptor(kind: .capability, name: "P0")
        await #expect(throws: CapabilityError.self) {
            _ = try await lifecycle.carryOut(try lifecycle.enqueue([component]), because: .serviceRestored)
        }
        #expect(machine.order(of: "begin") == [0])
    }

    @Test("Ten capabilities are initialised after, and end before, what they depend on (CAP-06)", arguments: 0..<30)
    func order(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let machine = randomMachine(&random)
        machine.register((0..<10).shuffled(using: &random), in: orchestrator)
        try await orchestrator.start()
        await orchestrator.shutdown()
        for (part, dependencies) in machine.dependencies {
            for dependency in dependencies {
                let journal = machine.journal
                let done = try #require(journal.position(of: "initialized P\(dependency)"))
                let begun = try #require(journal.position(of: "begin P\(part)"))
                #expect(done < begun)
                let first = try #require(journal.position(of: "terminated P\(part)"))
                let then = try #require(journal.position(of: "terminated P\(dependency)"))
                #expect(first < then)
            }
        }
        #expect(machine.order(of: "initialized").sorted() == Array(0..<10))
        #expect(machine.order(of: "terminated").sorted() == Array(0..<10))
    }

    @Test("Capabilities that do not depend on each other are initialised at the same time")
    func concurrent() async throws {
        var machine = PartMachine()
        let journal = machine.journal
        // Each waits until both have begun: one after the other would never end.
        machine.onInitialize = { _ in
            await journal.wait { $0.contains("begin P0") && $0.contains("begin P1") }
        }
        machine.register(0..<2, in: orchestrator)
        try await orchestrator.start()
        #expect(machine.order(of: "initialized").count == 2)
    }

    @Test("A capability begins when its own dependencies are done, without waiting for others")
    func noBarrier() async throws {
        var machine = PartMachine()
        machine.dependencies = [2: [0]]
        let journal = machine.journal
        // P1 stands beside P0 and waits for P2, which depends on P0 alone.
        machine.onInitialize = { part in
            if part == 1 { await journal.wait(for: "initialized P2") }
        }
        machine.register(0..<3, in: orchestrator)
        try await orchestrator.start()
        #expect(machine.order(of: "initialized").last == 1)
    }

    @Test("A cycle of capabilities stops the start with an error that shows it, and initialises none (CAP-05)")
    func cycle() async throws {
        var machine = PartMachine()
        machine.dependencies = [0: [1], 1: [0], 2: []]
        machine.register(0..<3, in: orchestrator)
        let error = try await error(CompositionError.self, machine)
        #expect(error.code == ErrorCode.capabilityCycle)
        #expect(error.message.contains("P0 → P1 → P0"))
        #expect(machine.journal.entries.isEmpty)
    }

    @Test("A capability that depends on itself is a cycle")
    func selfCycle() async throws {
        var machine = PartMachine()
        machine.dependencies = [4: [4]]
        machine.register([4], in: orchestrator)
        #expect(try await error(CompositionError.self, machine).message.contains("P4 → P4"))
    }

    @Test("An unregistered capability is an error that names it and the component that requires it")
    func missing() async throws {
        var machine = PartMachine()
        machine.dependencies = [0: [7]]
        machine.register([0], in: orchestrator)
        let error = try await error(CompositionError.self, machine)
        #expect(error.code == ErrorCode.notRegistered)
        #expect(error.message.contains("capability P0"))
        #expect(error.message.contains("P7"))
    }

    @Test("A capability that makes another one with its own scope is refused, and the error names both")
    func sharedScope() async throws {
        orchestrator.register(DoubledPart.self) { DoubledPart($0) }
        let error = try await #require(throws: CapabilityError.self) { try await orchestrator.start() }
        let cause = try #require(error.cause as? CompositionError)
        #expect(
            cause.code == .foreignIdentity && cause.message.contains("capability DoubledPart passed its scope to Inner")
        )
    }

    @Test("A required capability that fails stops the start, is named with its cause, and the rest is terminated")
    func requiredFails() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1]]
        machine.onInitialize = { if $0 == 1 { throw SampleError("no disk") } }
        machine.register(0..<3, in: orchestrator)
        let error = try await error(CapabilityError.self, machine)
        #expect(error.code == ErrorCode.capabilityInitializationFailed)
        #expect(error.message.contains("P1"))
        #expect(error.message.contains("no disk"))
        #expect(error.cause as? SampleError == SampleError("no disk"))
        #expect(machine.order(of: "begin") == [0, 1])
        #expect(machine.order(of: "terminated") == [0])
    }

    @Test("The capability that failed is named, not one that was cancelled because of it")
    func trueCause() async throws {
        var machine = PartMachine()
        let journal = machine.journal
        machine.onInitialize = { part in
            if part == 1 {
                await journal.wait { $0.contains("begin P0") && $0.contains("begin P2") }
                throw SampleError("broken")
            }
            // P0 and P2 are cancelled: they throw CancellationError.
            try await Task.sleep(for: .seconds(3600))
        }
        machine.register(0..<3, in: orchestrator)
        let error = try await error(CapabilityError.self, machine)
        #expect(error.message.contains("P1"))
        #expect(error.cause is SampleError)
    }

    @Test("An optional capability that fails leaves everything above it degraded, and nothing else (CAP-07, CAP-33)")
    func optionalFails() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1], 3: []]
        machine.onInitialize = { if $0 == 0 { throw SampleError("no camera") } }
        machine.register(0..<4, in: orchestrator, optional: [0])
        let refs = References(orchestrator)
        try await orchestrator.start()
        #expect(try refs.level(P0.self) == .unavailable)
        #expect(try refs.level(P1.self) == .limited)
        #expect(try refs.level(P2.self) == .limited)
        #expect(try refs.level(P3.self) == .full)
        #expect(await refs.ref(P0.self)?.isAvailable == false)
        let error = #expect(throws: CapabilityError.self) { try refs.ref(P0.self)?.current() }
        #expect(error?.message.contains("no camera") == true)
    }

    @Test("A factory that throws counts as a failed initialisation, and its capability is named")
    func factoryFails() async throws {
        orchestrator.register(Part<P0>.self) { _ in throw SampleError("bad path") }
        let error = try await #require(throws: CapabilityError.self) { try await orchestrator.start() }
        #expect(error.message.contains("P0"))
        #expect(error.cause as? SampleError == SampleError("bad path"))
    }

    @Test("An optional capability whose factory throws leaves what depends on it degraded (CAP-33)")
    func optionalFactoryFails() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        orchestrator.register(Part<P0>.self, requirement: .optional) { _ in throw SampleError("bad path") }
        machine.register([1], in: orchestrator)
        let refs = References(orchestrator)
        try await orchestrator.start()
        #expect(try refs.level(P0.self) == .unavailable)
        #expect(try refs.level(P1.self) == .limited)
    }

    @Test("A start cannot be repeated, whether it succeeded or failed")
    func onlyOnce() async throws {
        try await orchestrator.start()
        let error = try await #require(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error.code == ErrorCode.wrongPhase)
    }

    @Test("A shutdown during the start calls the start off and terminates what was initialised")
    func shutdownDuringStart() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        machine.onInitialize = { if $0 == 1 { try await Task.sleep(for: .seconds(3600)) } }
        machine.register(0..<2, in: orchestrator)
        let start = Task { try await orchestrator.start() }
        await machine.journal.wait(for: "begin P1")
        await orchestrator.shutdown()
        await #expect(throws: (any Error).self) { try await start.value }
        #expect(machine.order(of: "terminated") == [0])
        #expect(throws: CompositionError.self) { try orchestrator.makeContext(PlainContext.self) }
    }
}

/// References to every part that is registered, gathered by a client.
@MainActor
final class References {
    private let gathered = Box<[Int: any Sendable]>()

    init(_ orchestrator: Orchestrator) {
        let gathered = gathered
        orchestrator.register(ReferenceClient.self) { ReferenceClient($0, gathered) }
    }

    func ref<Tag: PartTag>(_ tag: Tag.Type) -> CapabilityRef<Part<Tag>>? {
        gathered.value?[Tag.index] as? CapabilityRef<Part<Tag>>
    }

    func level<Tag: PartTag>(_ tag: Tag.Type) throws -> DegradationLevel {
        try #require(ref(tag)).degradationLevel
    }
}

/// Resolves whichever parts are registered.
private actor ReferenceClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope, _ box: Box<[Int: any Sendable]>) {
        identity = scope.identity
        var found: [Int: any Sendable] = [:]
        for tag in partTags { found[tag.index] = Self.find(tag, scope) }
        box.put(found)
    }

    private static func find<Tag: PartTag>(_ tag: Tag.Type, _ scope: borrowing ClientScope) -> (any Sendable)? {
        try? scope.capability(Part<Tag>.self)
    }

    func process(_ action: NoAction) async throws {}
}

/// Holds a capability that it made with its own scope.
private actor DoubledPart: Capability {
    actor Inner: Capability {
        nonisolated let identity: ComponentIdentity
        init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    }

    nonisolated let identity: ComponentIdentity
    private let inner: Inner

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
        inner = Inner(scope)
    }
}
