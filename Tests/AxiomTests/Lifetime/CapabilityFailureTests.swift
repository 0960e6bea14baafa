// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@MainActor
@Suite("Changes of capabilities that fail or wait", .timeLimit(.minutes(10)))
struct CapabilityFailureTests {
    /// Parts P0, P1 above it and P2 beside it; what breaks is chosen later.
    private func start(
        instrumentation: any Instrumentation = Instrumentations(),
        _ breaks: Box<Set<Int>>
    ) async throws -> (Orchestrator, PartMachine) {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        var machine = PartMachine()
        machine.dependencies = [1: [0]]
        machine.onInitialize = { if breaks.value?.contains($0) == true { throw SampleError("P\($0) is broken") } }
        machine.register(0..<3, in: orchestrator)
        try await orchestrator.start()
        return (orchestrator, machine)
    }

    private func change(_ orchestrator: Orchestrator) async throws {
        try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
    }

    private func down(_ orchestrator: Orchestrator) -> Set<String> {
        let nodes = orchestrator.capabilities?.order ?? []
        return Set(nodes.filter { $0.degradation == .unavailable }.map(\.descriptor.name))
    }

    @Test("A change that fails is counted once at the orchestrator's boundary, and thrown to its caller")
    func settled() async throws {
        let (breaks, recording) = (Box<Set<Int>>(), RecordingInstrumentation())
        let (orchestrator, _) = try await start(instrumentation: recording, breaks)
        breaks.put([0])
        let error = try await #require(throws: CapabilityError.self) { try await change(orchestrator) }
        #expect(error.code == .capabilityUnavailable && error.cause as? SampleError == SampleError("P0 is broken"))
        #expect(orchestrator.errorBoundary.count == 1)
        #expect(orchestrator.errorBoundary.current?.origin.name == "P0")
        #if Instrumented
        let ended = recording.events.filter { if case .ended = $0 { true } else { false } }
        #expect(ended == [.ended(code: error.code.rawValue, origin: "P0", boundary: "Orchestrator", .nonCritical)])
        #endif
    }

    @Test("Each capability above that fails is counted by itself, and not thrown")
    func dependents() async throws {
        let breaks = Box<Set<Int>>()
        let (orchestrator, _) = try await start(breaks)
        breaks.put([1])
        try await change(orchestrator)
        #expect(orchestrator.errorBoundary.history.map(\.origin.name) == ["P1"])
        #expect(down(orchestrator) == ["P1"])
    }

    @Test("A factory that finds a mistake in the composition in a change takes no other capability down with it")
    func mistake() async throws {
        let (isWrong, machine, orchestrator) = (Box<Bool>(), PartMachine(), Orchestrator(limits: .endless))
        orchestrator.register(Part<P0>.self) { scope in
            if isWrong.value == true { _ = try scope.capability(Part<P9>.self) }
            return try Part(scope, machine)
        }
        machine.register(1..<4, in: orchestrator)
        try await orchestrator.start()
        isWrong.put(true)
        let error = try await #require(throws: CapabilityError.self) { try await change(orchestrator) }
        #expect((error.cause as? CompositionError)?.code == .notRegistered)
        #expect(down(orchestrator) == ["P0"])
    }

    @Test("Capabilities that come to depend on each other in a cycle in a change are all reported")
    func cycle() async throws {
        let (isWrong, orchestrator) = (Box<Bool>(), Orchestrator(limits: .endless))
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1]]
        orchestrator.register(Part<P0>.self) { [machine] scope in
            if isWrong.value == true { _ = try scope.capability(Part<P1>.self) }
            return try Part(scope, machine)
        }
        machine.register(1..<5, in: orchestrator)
        try await orchestrator.start()
        isWrong.put(true)
        await #expect(throws: CapabilityError.self) { try await change(orchestrator) }
        #expect(down(orchestrator) == ["P0", "P1", "P2"])
        let history = orchestrator.errorBoundary.history
        let causes = history.map { ($0.error as? CapabilityError)?.cause as? CompositionError }
        #expect(causes.map { $0?.code } == [.capabilityCycle, .capabilityCycle, .capabilityCycle])
    }

    @Test("A change that a recovery makes succeed throws nothing and is counted as recovered")
    func recovered() async throws {
        let (breaks, asked) = (Box<Set<Int>>(), Box<String>())
        let (orchestrator, _) = try await start(breaks)
        breaks.put([0])
        orchestrator.recover { error in
            asked.put((error as? any AxiomError)?.code.rawValue ?? "")
            return RecoveryStrategy("repair") { operation in
                breaks.put([])
                try await operation.run()
            }
        }
        try await change(orchestrator)
        #expect(asked.all == [ErrorCode.capabilityUnavailable.rawValue])
        #expect(orchestrator.errorBoundary.count == 0 && orchestrator.errorBoundary.recoveredCount == 1)
        #expect(down(orchestrator).isEmpty)
    }

    @Test("A recovery that makes the same change again ends, and the error is counted once")
    func changeInRecovery() async throws {
        let (breaks, asked) = (Box<Set<Int>>(), Box<Int>())
        let (orchestrator, _) = try await start(breaks)
        breaks.put([0])
        orchestrator.recover { [unowned orchestrator] _ in
            asked.put(1)
            return RecoveryStrategy("again") { _ in
                try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
            }
        }
        await #expect(throws: CapabilityError.self) { try await change(orchestrator) }
        #expect(asked.all.count == 1 && orchestrator.errorBoundary.count == 1)
    }

    @Test("Within an action of a context the error of a change ends at the context's boundary alone")
    func withinAction() async throws {
        let breaks = Box<Set<Int>>()
        var machine = PartMachine()
        machine.onInitialize = { if breaks.value?.contains($0) == true { throw SampleError("P\($0) is broken") } }
        let app = RecoveringApp { machine.register([0], in: $0) }
        let context = try await app.context { _ in .surface }
        breaks.put([0])
        let orchestrator = app.orchestrator
        await context.send(
            RecoveringAction { _ in
                try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
            }
        )
        #expect(context.errorBoundary.count == 1 && orchestrator.errorBoundary.count == 0)
    }

    @Test("A change that a capability awaits in its own initialize() is refused with the path of the waits (CLI-12)")
    func waitsForItself() async throws {
        let (box, thrown) = (Box<Orchestrator>(), Box<String>())
        let orchestrator = Orchestrator(limits: .endless)
        var machine = PartMachine()
        machine.dependencies = [1: [0], 2: [1]]
        machine.onInitialize = { index in
            guard index == 1, let orchestrator = box.value else { return }
            for change in [
                { try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored) },
                { try await orchestrator.capabilityChanged(Part<P1>.self, .serviceRestored) },
                { try await orchestrator.capabilityChanged(Part<P2>.self, .serviceRestored) },
            ] as [@Sendable () async throws -> Void] {
                do { try await change() } catch {
                    thrown.put("\((error as? LifecycleError)?.code.rawValue ?? "\(error)")")
                }
            }
        }
        machine.register(0..<3, in: orchestrator)
        try await orchestrator.start()
        box.put(orchestrator)
        try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
        #expect(thrown.all == Array(repeating: ErrorCode.waitsForItself.rawValue, count: 3))
        #expect(down(orchestrator).isEmpty)
    }

    @Test("A capability that awaits a shutdown in its initialize() during a change does not stop it, and is terminated")
    func shutdownWithin() async throws {
        let box = Box<Orchestrator>()
        let orchestrator = Orchestrator(limits: .endless)
        var machine = PartMachine()
        machine.onInitialize = { index in if index == 0, let orchestrator = box.value { await orchestrator.shutdown() }
        }
        machine.register(0..<2, in: orchestrator)
        try await orchestrator.start()
        box.put(orchestrator)
        _ = try? await change(orchestrator)
        await orchestrator.shutdown()
        #expect(machine.order(of: "terminated").sorted() == machine.order(of: "initialized").sorted())
    }

    @Test("A caller that is cancelled stops waiting at once; the change goes on, and its failure is counted")
    func cancelledCaller() async throws {
        let (gate, breaks) = (Gate(), Box<Set<Int>>())
        let orchestrator = Orchestrator(limits: .endless)
        var machine = PartMachine()
        machine.onInitialize = { _ in
            guard breaks.value != nil else { return }
            await gate.wait()
            throw SampleError("broken")
        }
        machine.register([0], in: orchestrator)
        try await orchestrator.start()
        breaks.put([0])
        let call = Task { try await change(orchestrator) }
        await machine.journal.wait { $0.count { $0 == "begin P0" } == 2 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(orchestrator.errorBoundary.count == 0)
        gate.open()
        while orchestrator.errorBoundary.count == 0 { await Task.yield() }
        #expect(orchestrator.errorBoundary.count == 1)
    }

    @Test("An initialisation that does not end within its limit fails, and is terminated when it ends after all")
    func initializationLimit() async throws {
        let (time, gate, box) = (ManualTime(), Gate(), Box<Bool>())
        let orchestrator = Orchestrator(clock: .manual(time))
        var machine = PartMachine()
        machine.onInitialize = { _ in if box.value == true { await gate.wait() } }
        machine.register([0], in: orchestrator)
        try await orchestrator.start()
        box.put(true)
        let call = Task { try await change(orchestrator) }
        await machine.journal.wait { $0.count { $0 == "begin P0" } == 2 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(20))
        let error = try await #require(throws: CapabilityError.self) { try await call.value }
        #expect((error.cause as? LifecycleError)?.code == .limitExpired)
        #expect(error.message.contains("initialize of the capability P0 did not end within 20.0 seconds"))
        gate.open()
        await machine.journal.wait { $0.count { $0 == "terminated P0" } == 2 }
    }
}
