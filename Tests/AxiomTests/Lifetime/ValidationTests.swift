// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

/// Takes an input, and a client that a test does not register.
@Observable
private final class Detail: Context {
    typealias Input = Int

    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope, _ number: Int) throws {
        identity = scope.identity
        if number < 0 { throw SampleError("negative") }
        _ = try scope.client(PingClient.self)
    }
}

/// Makes a ``Detail``.
@Observable
private final class List: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.context(Detail.self, 1)
    }
}

@Observable
private final class Loop: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        _ = try scope.context(Loop.self)
    }
}

/// Owns the state of ``TallyClient``.
private actor Rival: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(TallyState())
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }
    func process(_ action: NoAction) async throws {}
}

private actor Nameless: StatelessClient, Component {
    static var componentName: String { " " }
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: NoAction) async throws {}
}

/// A client of any action.
private actor Performer<A: Action>: StatelessClient, Component where A.Answer == Void {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: A) async throws {}
}

private final class Counter: Sendable {}

private enum ObjectAction: Action {
    struct Order: Sendable { var counters: [Counter?] = [] }
    case quit
    // axiom:ignore action-reference The framework refuses such an action.
    case order(Order)
}

private enum ValueAction: Action {
    // axiom:ignore action-reference The framework permits a closure.
    case run(@Sendable () async throws -> Void)
    case follow(AsyncStream<Void>, AsyncStream<Void>.Continuation)
    case wait(Task<Void, any Error>)
    case set([String: Int?])
}

@MainActor
@Suite("Validation without a start", .timeLimit(.minutes(10)))
struct ValidationTests {
    private let orchestrator = Orchestrator(limits: .endless)
    private let journal = Journal<String>()

    private func registerPing() {
        let journal = journal
        orchestrator.register(PingClient.self) { PingClient($0, journal) }
    }

    @Test("What fits together has no mistakes, and the graph is known")
    func valid() {
        registerPing()
        orchestrator.register(Detail.self) { try Detail($0, $1) }
        orchestrator.register(List.self) { try List($0) }
        let report = orchestrator.validate()
        #expect(report.isComplete, "\(report)")
        #expect(report.description == "No mistakes.")
        let edges = report.graph.edges.map { "\($0.from.name) → \($0.to.name)" }
        #expect(edges.contains("List → Detail") && edges.contains("Detail → PingClient"))
        #expect(journal.entries.isEmpty)
    }

    @Test(
        "An action that contains an object is a mistake of the start, as of a state; values and closures are none"
    )
    func objectsInActions() async throws {
        orchestrator.register(Performer<ValueAction>.self) { Performer($0) }
        #expect(orchestrator.validate().mistakes.isEmpty)
        orchestrator.register(Performer<ObjectAction>.self) { Performer($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .referenceInState)
        #expect(error?.message.contains("the action of") == true && error?.message.contains("order.counters") == true)
    }

    @Test("An unregistered client is found through the context that makes the one that requires it, and is named once")
    func missingClient() {
        orchestrator.register(Detail.self) { try Detail($0, $1) }
        orchestrator.register(List.self) { try List($0) }
        let report = orchestrator.validate(ContextSample(Detail.self, 1))
        #expect(report.mistakes.map(\.code) == [.notRegistered])
        #expect(report.mistakes.first?.message.contains("context Detail requires the client PingClient") == true)
    }

    @Test("Unregistered contexts and capabilities, cycles of both and two owners of a state are all found in one run")
    func everything() {
        orchestrator.register(List.self) { try List($0) }
        orchestrator.register(Loop.self) { try Loop($0) }
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(Rival.self) { Rival($0) }
        var machine = PartMachine()
        machine.dependencies = [0: [1], 1: [0], 2: [7]]
        machine.register(0..<3, in: orchestrator)
        let codes = orchestrator.validate().mistakes.map(\.code)
        #expect(Set(codes) == [.notRegistered, .contextCycle, .stateOwnedTwice, .capabilityCycle])
        #expect(codes.count { $0 == .notRegistered } == 2)
        #expect(machine.journal.entries.isEmpty)
    }

    @Test("A context that takes an input is checked with a sample, and is named where there is none")
    func input() {
        registerPing()
        orchestrator.register(Detail.self) { try Detail($0, $1) }
        let report = orchestrator.validate()
        #expect(report.mistakes.isEmpty && !report.isComplete)
        #expect(report.unchecked.map(\.component.name) == ["Detail"])
        #expect(report.description.contains("ContextSample"))
        #expect(orchestrator.validate(ContextSample(Detail.self, 1)).isComplete)
    }

    @Test("A factory that throws leaves its component unchecked, with its error, and the contexts that need it")
    func factoryThrows() {
        orchestrator.register(PingClient.self) { _ in throw SampleError("no file") }
        orchestrator.register(Detail.self) { try Detail($0, $1) }
        let report = orchestrator.validate(ContextSample(Detail.self, 1), ContextSample(Detail.self, -1))
        #expect(report.mistakes.isEmpty)
        #expect(report.unchecked.map(\.component.name) == ["PingClient", "Detail"])
        #expect(report.unchecked.first?.error as? SampleError == SampleError("no file"))
    }

    @Test("A name that is blank or longer than 256 bytes is a mistake, which the start throws as well")
    func names() async {
        orchestrator.register(Nameless.self) { Nameless($0) }
        #expect(orchestrator.validate().mistakes.map(\.code) == [.invalidName])
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .invalidName && error?.message.contains("Nameless") == true)
    }

    @Test("Nothing that was made lives on, nothing is reported, and the start that follows is as without it")
    func leavesNothing() async throws {
        let recording = RecordingInstrumentation()
        let orchestrator = Orchestrator.scripted(instrumentation: recording)
        let machine = PartMachine()
        machine.register(0..<3, in: orchestrator)
        let made = Journal<WeakReference>()
        orchestrator.register(PlainContext.self) { scope in
            made.write(WeakReference(scope.identity))
            return PlainContext(scope)
        }
        #expect(orchestrator.validate().isComplete)
        #expect(made.entries.count == 1 && made.entries.allSatisfy { $0.object == nil })
        #expect(recording.events.isEmpty && orchestrator.graph.nodes.isEmpty)
        try await orchestrator.start()
        #expect(machine.order(of: "initialized").sorted() == [0, 1, 2])
        #expect(orchestrator.validate().mistakes.map(\.code) == [.wrongPhase])
        await orchestrator.shutdown()
        #expect(orchestrator.validate().isComplete)
    }
}
