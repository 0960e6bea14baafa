// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import Axiom

@Observable
private final class Owner: Context {
    @ObservationIgnored let identity: ComponentIdentity
    let first: PlainContext
    let second: PlainContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        first = try scope.context(PlainContext.self)
        second = try scope.context(PlainContext.self)
    }
}

private struct OwnerView: Presentation {
    let context: Owner
    var body: Int { 0 }
}

/// Resolves two capabilities, one of them twice.
private actor Asker: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        for _ in 0..<2 { _ = try scope.capability(Part<P0>.self) }
        _ = try scope.capability(Part<P1>.self)
    }

    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("What the framework reports", .timeLimit(.minutes(10)))
struct InstrumentationTests {
    typealias Event = RecordingInstrumentation.Event

    private let time = ManualTime()
    private let instrumentation = RecordingInstrumentation()

    private func scripted(_ script: ScriptContext.Script = ScriptContext.Script()) async throws -> Orchestrator {
        let orchestrator = Orchestrator.scripted(script, instrumentation: instrumentation, clock: .manual(time))
        try await orchestrator.start()
        return orchestrator
    }

    private var events: [Event] { instrumentation.events }

    @Test("Every type is registered before its first instance is created, and once")
    func registeredFirst() async throws {
        let orchestrator = try await scripted()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        for _ in 0..<3 {
            try await host.mount()
            await host.unmount()
        }
        for name in ["Orchestrator", "TallyClient", "ScriptContext", "ScriptPresentation"] {
            let registered = try #require(events.firstIndex(of: .registered(name)))
            let created = events.firstIndex { if case .created(name, _) = $0 { true } else { false } }
            #expect(registered < (try #require(created)))
            #expect(events.count { $0 == .registered(name) } == 1)
        }
    }

    @Test("Types are registered and probes bound once, before start() returns")
    func onceAtStart() async throws {
        let orchestrator = try await scripted()
        #expect(
            events.filter { if case .created = $0 { false } else { true } } == [
                .registered("Orchestrator"), .registered("TallyClient"), .registered("ScriptContext"),
                .stateProbe("TallyClient"), .clientProbe("TallyClient", caller: nil),
                .contextProbe("ScriptContext", actions: ["ScriptAction"]),
            ]
        )
        for _ in 0..<3 { _ = try orchestrator.makeContext(ScriptContext.self) }
        #expect(events.count { $0 == .clientProbe("TallyClient", caller: nil) } == 1)
        #expect(events.count { $0 == .clientProbe("TallyClient", caller: "ScriptContext") } == 1)
        #expect(events.count { if case .contextProbe = $0 { true } else { false } } == 1)
    }

    @Test("Contexts get a client that reports its calls, and so it is for a stateless client")
    func observed() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation, clock: .manual(time))
        let journal = Journal<String>()
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        try await context.tally.process(.add(1))
        #expect(events.contains(.callEnded("TallyClient", 0, .success, nanoseconds: 0)))
        #expect(events.contains(.clientProbe("PingClient", caller: nil)))
    }

    @Test("A double is observed under the name of the client that it stands for")
    func overriddenClient() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation)
        orchestrator.override(TallyClient.self, with: TallyDouble(value: 1))
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        #expect(context.tally is ObservedClient<TallyDouble>)
        #expect(events.contains(.clientProbe("TallyClient", caller: "ScriptContext")))
    }

    @Test("Each pair of types is reported as resolved once, when it is first resolved")
    func resolved() async throws {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        let machine = PartMachine(dependencies: [1: [0]])
        machine.register(0..<2, in: orchestrator)
        orchestrator.register(Asker.self) { try Asker($0) }
        try await orchestrator.start()
        let edges = events.filter { if case .resolved = $0 { true } else { false } }
        #expect(edges == [.resolved("P1", "P0"), .resolved("Asker", "P0"), .resolved("Asker", "P1")])
    }

    @Test("An update of a client's store is reported under the client's name")
    func stateProbe() async throws {
        let context = try await scripted().makeContext(ScriptContext.self)
        try await context.tally.process(.add(1))
        try await context.tally.process(.add(0))
        #expect(events.count { $0 == .stateUpdated("TallyClient") } == 1)
    }

    @Test("An unmount is reported for the presentation and for every context of its tree")
    func unmounted() async throws {
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time))
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        orchestrator.register(Owner.self) { try Owner($0) }
        try await orchestrator.start()
        let host = PresentationHost(OwnerView.self, orchestrator) { _ in }
        try await host.mount()
        let context = try #require(host.context)
        let ids = [context.identity, context.first.identity, context.second.identity].map(\.id)
        time.advance(by: .seconds(2))
        await host.unmount()
        let unmounted = events.compactMap { event -> (name: String, id: UInt64, at: Int64)? in
            if case .unmounted(let name, let id, let at) = event { (name, id, at) } else { nil }
        }
        #expect(unmounted.map(\.name).sorted() == ["Owner", "OwnerView", "PlainContext", "PlainContext"])
        #expect(Set(unmounted.map(\.id)).isSuperset(of: ids))
        #expect(unmounted.allSatisfy { $0.at == 2_000_000_000 })
    }

    @Test("Each phase of the life cycle is reported with the time that it took")
    func phases() async throws {
        let time = time
        var script = ScriptContext.Script()
        script.onAppear = { _ in time.advance(by: .milliseconds(1)) }
        script.onBackground = { _ in time.advance(by: .milliseconds(2)) }
        script.onForeground = { _ in time.advance(by: .milliseconds(3)) }
        script.onDisappear = { _ in
            time.advance(by: .milliseconds(4))
            throw SampleError("late")
        }
        let orchestrator = try await scripted(script)
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        await orchestrator.enterBackground()
        await orchestrator.enterForeground()
        await host.unmount()
        let phases = events.filter { if case .phaseEnded = $0 { true } else { false } }
        #expect(
            phases == [
                .phaseEnded("ScriptContext", .create, nanoseconds: 0),
                .phaseEnded("ScriptContext", .appear, nanoseconds: 1_000_000),
                .phaseEnded("ScriptContext", .background, nanoseconds: 2_000_000),
                .phaseEnded("ScriptContext", .foreground, nanoseconds: 3_000_000),
                .phaseEnded("ScriptContext", .disappear, nanoseconds: 4_000_000),
            ]
        )
    }

    @Test("The creation of a context is reported with the time that its factory took, contexts below it included")
    func creation() async throws {
        let time = time
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time))
        orchestrator.register(PlainContext.self) { scope in
            time.advance(by: .milliseconds(5))
            return PlainContext(scope)
        }
        orchestrator.register(Owner.self) { try Owner($0) }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(Owner.self)
        let phases = events.filter { if case .phaseEnded = $0 { true } else { false } }
        #expect(
            phases == [
                .phaseEnded("PlainContext", .create, nanoseconds: 5_000_000),
                .phaseEnded("PlainContext", .create, nanoseconds: 5_000_000),
                .phaseEnded("Owner", .create, nanoseconds: 10_000_000),
            ]
        )
    }

    @Test("Rendering is reported from the first change to the end of the picture that shows it")
    func render() async throws {
        let (time, pictures) = (time, Journal<String>())
        let orchestrator = try await scripted()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { picture in
            pictures.write(picture)
            if picture != "value 0" { time.advance(by: .milliseconds(2)) }
        }
        try await host.mount()
        host.context?.value = 1
        time.advance(by: .milliseconds(5))
        host.context?.value = 2
        await pictures.wait(for: "value 2")
        await host.context?.quiet()
        let renders = events.filter { if case .phaseEnded(_, .render, _) = $0 { true } else { false } }
        #expect(renders == [.phaseEnded("ScriptContext", .render, nanoseconds: 7_000_000)])
    }

    @Test("An action is reported with its case, outcome and the time from send to end")
    func actions() async throws {
        let time = time
        let context = try await scripted().makeContext(ScriptContext.self)
        await context.send(ScriptAction { _ in time.advance(by: .milliseconds(9)) })
        await context.send(ScriptAction { _ in throw SampleError("x") })
        await context.send(ScriptAction { _ in throw Cancellation.onPurpose })
        let actions = events.filter { if case .actionEnded = $0 { true } else { false } }
        #expect(
            actions == [
                .actionEnded("ScriptContext", 0, .success, nanoseconds: 9_000_000),
                .actionEnded("ScriptContext", 0, .failure, nanoseconds: 0),
                .actionEnded("ScriptContext", 0, .cancelled, nanoseconds: 0),
            ]
        )
    }

    @Test("An ended error carries the code and severity of an AxiomError, else the name of its type")
    func endedErrors() async throws {
        let context = try await scripted().makeContext(ScriptContext.self)
        await context.send(ScriptAction { _ in throw CompositionError.registeredTwice("A", "A") })
        await context.send(ScriptAction { _ in throw SampleError("secret") })
        let ended = events.filter { if case .ended = $0 { true } else { false } }
        let name = "ScriptContext"
        #expect(
            ended == [
                .ended(code: "AXIOM_COMPOSITION_001", origin: name, boundary: name, .critical),
                .ended(code: "SampleError", origin: name, boundary: name, .nonCritical),
            ]
        )
    }

    @Test("What fails at the start ends at the orchestrator and is reported under its own name")
    func startFailures() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation)
        var machine = PartMachine()
        machine.onInitialize = { _ in throw SampleError("no camera") }
        machine.register([0], in: orchestrator, optional: [0])
        orchestrator.register(PingClient.self) { _ in throw SampleError("no key") }
        try await orchestrator.start()
        let ended = events.filter { if case .ended = $0 { true } else { false } }
        #expect(
            ended == [
                .ended(code: "SampleError", origin: "P0", boundary: "Orchestrator", .nonCritical),
                .ended(code: "SampleError", origin: "PingClient", boundary: "Orchestrator", .nonCritical),
            ]
        )
    }

    @Test("The shutdown is reported last, after everything that it ended")
    func shutDown() async throws {
        let orchestrator = try await scripted()
        time.advance(by: .seconds(1))
        await orchestrator.shutdown()
        #expect(events.last == .shutDown(at: 1_000_000_000))
    }

    @Test("The orchestrator itself is created at the start and destroyed with its last reference")
    func orchestrator() async throws {
        var orchestrator: Orchestrator? = try await scripted()
        #expect(instrumentation.live("Orchestrator").count == 1)
        await orchestrator?.shutdown()
        orchestrator = nil
        #expect(instrumentation.live("Orchestrator").isEmpty)
    }
}
#endif
