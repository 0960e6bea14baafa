// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Testing

@testable import Axiom

@MainActor
@Suite("Capabilities after a system reset and a partial shutdown", .timeLimit(.minutes(10)))
struct SystemResetTests {
    /// An application that is reset for every error, unless a capability is to blame: that is then shut down.
    private func start(_ register: (Orchestrator) -> Void) async throws -> (Orchestrator, RecoveringContext) {
        let app = RecoveringApp(register)
        let context = try await app.context { _ in .propagate }
        app.orchestrator.recover { [unowned orchestrator = app.orchestrator] error in
            error is CapabilityError ? orchestrator.partialShutdown() : orchestrator.systemReset()
        }
        return (app.orchestrator, context)
    }

    private func reset(_ context: RecoveringContext) async {
        await context.send(Flaky(failures: 1).action)
    }

    private func shutDown(_ part: String, _ context: RecoveringContext) async {
        await context.send(RecoveringAction { _ in throw CapabilityError.unavailable(part, because: "it is broken") })
    }

    /// The names of the capabilities that do not work.
    private func down(_ orchestrator: Orchestrator) -> Set<String> {
        let states = orchestrator.capabilities?.states ?? []
        return Set(states.filter { $0.degradation == .unavailable }.map(\.component.name))
    }

    @Test("What a partial shutdown disabled stays down: after a change, a reset of the rest and a retry")
    func staysDisabled() async throws {
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        let (orchestrator, context) = try await start { machine.register(0..<3, in: $0) }
        await shutDown("P0", context)
        #expect(down(orchestrator) == ["P0", "P1"])
        for change in CapabilityChange.allCases {
            let error = await #expect(throws: CapabilityError.self) {
                try await orchestrator.capabilityChanged(Part<P1>.self, change)
            }
            #expect(error?.message.contains("partial shutdown") == true)
        }
        await reset(context)
        #expect(orchestrator.errorBoundary.recoveredCount == 2 && orchestrator.errorBoundary.count == 0)
        await #expect(throws: CapabilityError.self) {
            try await orchestrator.capabilities?.ensure(ComponentDescriptor(kind: .capability, name: "P0"))
        }
        #expect(down(orchestrator) == ["P0", "P1"])
        #expect(machine.order(of: "initialized").sorted() == [0, 1, 2, 2])
        #expect(machine.order(of: "terminated").sorted() == [0, 1, 2])
        await orchestrator.shutdown()
    }

    @Test("A change that waits behind another makes no new instance after its capability was disabled")
    func disabledWhileChanging() async throws {
        try await withInterleavings(20) { try await Self().disableWhileChanging($0) }
    }

    private func disableWhileChanging(_ run: Interleaving) async throws {
        let (gate, box) = (Gate(), Box<Bool>())
        var machine = PartMachine()
        machine.onInitialize = { _ in if box.value == true { await gate.wait() } }
        let (orchestrator, context) = try await start { machine.register(0..<1, in: $0) }
        box.put(true)
        async let first: Void = orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
        await machine.journal.wait { $0.count { $0 == "begin P0" } == 2 }
        let second = Task.onMainActor { try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored) }
        await run.quiet()
        async let shutdown: Void = shutDown("P0", context)
        await run.quiet()
        gate.open()
        try await first
        await #expect(throws: CapabilityError.self) { try await second.value }
        await shutdown
        #expect(down(orchestrator) == ["P0"])
        #expect(machine.order(of: "initialized") == [0, 0])
        #expect(machine.order(of: "terminated") == [0, 0])
    }

    @Test("A required capability that a system reset cannot initialise takes no other down with it", arguments: 0..<20)
    func othersWork(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let box = Box<Set<Int>>()
        var machine = PartMachine()
        for part in 1..<10 {
            machine.dependencies[part] = (0..<part).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        }
        machine.onInitialize = { if box.value?.contains($0) == true { throw SampleError("P\($0) is gone") } }
        let (orchestrator, context) = try await start { machine.register(0..<10, in: $0) }
        let broken = Set((0..<10).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }).union([0])
        box.put(broken)
        await reset(context)
        #expect(down(orchestrator) == Set(broken.map { "P\($0)" }))
        let boundary = orchestrator.errorBoundary
        #expect(boundary.count == broken.count, "each but the first by itself, which is kept beside the reset's error")
        #expect((boundary.current?.recoveryError as? CapabilityError)?.code == .capabilityInitializationFailed)
        await orchestrator.shutdown()
        #expect(machine.order(of: "terminated").count == machine.order(of: "initialized").count)
    }

    @Test("A factory that finds the application put together wrongly in a system reset takes no other down with it")
    func mistakeInReset() async throws {
        let (box, machine) = (Box<Bool>(), PartMachine())
        let (orchestrator, context) = try await start {
            $0.register(Part<P0>.self) { scope in
                if box.value == true { _ = try scope.capability(Part<P9>.self) }
                return try Part(scope, machine)
            }
            machine.register(1..<4, in: $0)
        }
        box.put(true)
        await reset(context)
        #expect(down(orchestrator) == ["P0"])
        let failure = orchestrator.errorBoundary.current?.recoveryError as? CapabilityError
        #expect((failure?.cause as? CompositionError)?.code == .notRegistered)
    }

    @Test("Capabilities that come to depend on each other in a cycle in a system reset are all reported")
    func circleInReset() async throws {
        let box = Box<Bool>()
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1]]
        let (orchestrator, context) = try await start { [machine] in
            $0.register(Part<P0>.self) { scope in
                if box.value == true { _ = try scope.capability(Part<P1>.self) }
                return try Part(scope, machine)
            }
            machine.register(1..<5, in: $0)
        }
        box.put(true)
        await reset(context)
        #expect(down(orchestrator) == ["P0", "P1", "P2"])
        let boundary = orchestrator.errorBoundary
        #expect(boundary.history.compactMap { $0.error as? CompositionError }.count == 2)
        let failure = boundary.current?.recoveryError as? CapabilityError
        #expect((failure?.cause as? CompositionError)?.code == .capabilityCycle)
    }
}
