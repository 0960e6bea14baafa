// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("Recovery at the orchestrator", .timeLimit(.minutes(10)))
struct OrchestratorRecoveryTests {
    /// Fails a given number of times for each part, then works.
    private final class Faults: Sendable {
        private let journal = Journal<Int>()
        private let counts: [Int: Int]

        init(_ counts: [Int: Int]) { self.counts = counts }

        func strike(_ part: Int) throws {
            let before = journal.entries.count { $0 == part }
            journal.write(part)
            if before < counts[part, default: 0] { throw SampleError("part \(part)") }
        }
    }

    private func machine(_ dependencies: [Int: [Int]], _ faults: Faults = Faults([:])) -> PartMachine {
        var machine = PartMachine()
        machine.dependencies = dependencies
        machine.onInitialize = { try faults.strike($0) }
        return machine
    }

    private func propagating(_ app: RecoveringApp) async throws -> RecoveringContext {
        try await app.context { _ in .propagate }
    }

    private func fail(_ context: RecoveringContext, _ error: any Error = SampleError("lost")) async {
        await context.send(RecoveringAction { _ in throw error })
    }

    @Test("What the last context propagates ends at the orchestrator, once, with its path")
    func propagated() async throws {
        let app = RecoveringApp()
        let context = try await propagating(app)
        await context.send(RecoveringAction { try await $0.tally.process(.fail("x")) })
        let boundary = app.orchestrator.errorBoundary
        #expect(boundary.current?.path.map(\.name) == ["TallyClient", "RecoveringContext", "Orchestrator"])
        #expect(boundary.count == 1 && context.errorBoundary.count == 0)
        #expect(context.errorBoundary.current == nil)
    }

    @Test("A system reset replaces every capability in the order of dependencies and runs the operation again")
    func systemReset() async throws {
        let machine = machine([1: [0], 2: [1]])
        let app = RecoveringApp { machine.register(0..<3, in: $0) }
        let context = try await propagating(app)
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in orchestrator.systemReset() }
        let flaky = Flaky(failures: 1)
        await context.send(flaky.action)
        #expect(machine.order(of: "terminated") == [2, 1, 0])
        #expect(machine.order(of: "initialized") == [0, 1, 2, 0, 1, 2])
        #expect(flaky.runs == 2)
        #expect(app.orchestrator.errorBoundary.recoveredCount == 1)
        #expect(app.orchestrator.errorBoundary.count == 0)
    }

    @Test("A system reset that a required capability does not survive leaves the error, which then ends")
    func failedReset() async throws {
        let box = Box<Bool>()
        var machine = PartMachine()
        machine.onInitialize = { if box.value == true, $0 == 1 { throw SampleError("gone for good") } }
        let app = RecoveringApp { machine.register(0..<2, in: $0) }
        let context = try await propagating(app)
        box.put(true)
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in orchestrator.systemReset() }
        await fail(context)
        let entry = try #require(app.orchestrator.errorBoundary.current)
        #expect(entry.error as? SampleError == SampleError("lost"))
        #expect((entry.recoveryError as? CapabilityError)?.code == .capabilityInitializationFailed)
        await app.orchestrator.shutdown()
        #expect(machine.order(of: "terminated").count == machine.order(of: "initialized").count)
    }

    @Test("What an optional capability throws in a system reset is kept, and the reset succeeds")
    func optionalInReset() async throws {
        let box = Box<Bool>()
        var machine = PartMachine()
        machine.onInitialize = { if box.value == true, $0 == 0 { throw SampleError("gone") } }
        let app = RecoveringApp { machine.register(0..<2, in: $0, optional: [0]) }
        let context = try await propagating(app)
        box.put(true)
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in orchestrator.systemReset() }
        let flaky = Flaky(failures: 1)
        await context.send(flaky.action)
        let boundary = app.orchestrator.errorBoundary
        #expect(flaky.runs == 2 && boundary.recoveredCount == 1 && boundary.count == 1)
        #expect(boundary.current?.error as? SampleError == SampleError("gone"))
        #expect(boundary.current?.path.map(\.name) == ["P0", "Orchestrator"])
    }

    @Test("A partial shutdown disables what depends on the origin, and nothing else", arguments: 0..<30)
    func partialShutdown(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let graph = RelayGraph.random(using: &random)
        let orchestrator = Orchestrator(limits: .endless)
        graph.register(in: orchestrator)
        try await orchestrator.start()
        let root = try orchestrator.makeContext(Tier<P0>.self)
        graph.handling.put(-1)
        orchestrator.recover { [unowned orchestrator] _ in orchestrator.partialShutdown() }
        var route = graph.randomRoute(SampleError("broken"), using: &random)
        while route.client == nil { route = graph.randomRoute(SampleError("broken"), using: &random) }
        await root.send(Errand(route: route))
        #expect(orchestrator.errorBoundary.recoveredCount == 1)
        let origin = try #require(orchestrator.errorBoundary.history.last?.origin)
        let affected = orchestrator.graph.dependents(of: origin)
        for state in try #require(orchestrator.capabilities?.states) {
            #expect((state.degradation == .unavailable) == affected.contains(state.component))
        }
        let running = try #require(orchestrator.life.run).clients
        for index in 0..<graph.clients {
            let client = ComponentDescriptor(kind: .client, name: "client \(index)")
            #expect(running.contains { $0.component == client } != affected.contains(client))
        }
        let error = #expect(throws: ClientError.self) { try orchestrator.makeContext(Tier<P0>.self) }
        #expect(error?.code == .clientDisabled)
        await orchestrator.shutdown()
    }

    @Test("An error of a context has no subsystem to shut down, and ends")
    func noSubsystem() async throws {
        let app = RecoveringApp()
        let context = try await propagating(app)
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in orchestrator.partialShutdown() }
        await fail(context)
        #expect(app.orchestrator.errorBoundary.count == 1)
    }

    @Test("Emergency mode needs consent; then only what it keeps may act, until it is left", arguments: [true, false])
    func emergency(consent: Bool) async throws {
        let app = RecoveringApp()
        let context = try await propagating(app)
        let other = try app.orchestrator.makeContext(OtherContext.self)
        let asked = Journal<String>()
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in
            orchestrator.emergencyMode(keeping: [RecoveringContext.self]) { error in
                asked.write("\(error)")
                return consent
            }
        }
        await fail(context)
        #expect(asked.entries == ["lost"])
        #expect(app.orchestrator.isInEmergencyMode == consent)
        #expect(app.orchestrator.errorBoundary.count == (consent ? 0 : 1))
        await other.send(.ping)
        #expect(other.handled == (consent ? 0 : 1))
        #expect((other.errorBoundary.current?.error as? ContextError)?.code == (consent ? .emergencyMode : nil))
        let kept = Flaky(failures: 0)
        await context.send(kept.action)
        #expect(kept.runs == 1)
        app.orchestrator.leaveEmergencyMode()
        await other.send(.ping)
        #expect(other.handled == (consent ? 1 : 2))
        #expect(other.errorBoundary.current == nil)
    }

    @Test("Diagnostics tell the system's state, and leave the error to the next step")
    func diagnostics() async throws {
        let machine = machine([1: [0]], Faults([0: 1]))
        let app = RecoveringApp { machine.register(0..<2, in: $0, optional: [0, 1]) }
        let context = try await propagating(app)
        let collected = Box<Diagnostics>()
        app.orchestrator.recover { [orchestrator = app.orchestrator] _ in
            orchestrator.diagnosticCollection { collected.put($0) }.otherwise(.silent)
        }
        app.time.advance(by: .seconds(7))
        await fail(context)
        let report = try #require(collected.value)
        #expect(report.time == app.time.now && report.phase == "running" && !report.isInEmergencyMode)
        #expect(report.path.map(\.name) == ["RecoveringContext", "Orchestrator"])
        #expect(report.capabilities.map(\.component.name) == ["P0", "P1"])
        #expect(report.capabilities.map(\.degradation) == [.unavailable, .limited])
        #expect(report.graph.edges.count == app.orchestrator.graph.edges.count)
        #expect("\(report)".contains("SampleError (lost)"))
        #expect(app.orchestrator.errorBoundary.count == 2, "the start's error, and this one")
        #expect((app.orchestrator.errorBoundary.current?.error as? SampleError) == SampleError("part 0"))
    }

    @Test("What fails at the start is really started again by a retry", arguments: 0..<4)
    func startRetry(failures: Int) async throws {
        let faults = Faults([0: failures])
        let machine = machine([:], faults)
        let clock = TimeSource.manual(ManualTime())
        let (orchestrator, box) = (Orchestrator(clock: clock), Box<CapabilityRef<Part<P0>>>())
        machine.register([0], in: orchestrator, optional: [0])
        orchestrator.register(Keeper<Part<P0>>.self) { scope in
            try faults.strike(7)
            return try Keeper(scope, Part<P0>.self) { box.put($0) }
        }
        orchestrator.recover { _ in .retry(attempts: 3, backoff: .none) }
        try await orchestrator.start()
        let ref = try #require(box.value)
        #expect(await ref.isAvailable == (failures < 3))
        #expect(orchestrator.errorBoundary.count == (failures < 3 ? 0 : 1))
        #expect(orchestrator.errorBoundary.recoveredCount == ((1..<3).contains(failures) ? 1 : 0))
        await orchestrator.shutdown()
    }

    @Test("A client that starts at a later attempt is there for contexts, and deactivated once")
    func clientRetry() async throws {
        let (orchestrator, journal) = (Orchestrator(limits: .endless), Journal<String>())
        let faults = Faults([0: 2])
        orchestrator.register(PingClient.self) { scope in
            try faults.strike(0)
            return PingClient(scope, journal)
        }
        orchestrator.recover { _ in .retry(attempts: 3, backoff: .none) }
        try await orchestrator.start()
        #expect(journal.entries == ["activate PingClient"])
        #expect(orchestrator.errorBoundary.recoveredCount == 1)
        await orchestrator.shutdown()
        #expect(journal.entries == ["activate PingClient", "deactivate PingClient"])
    }
}
