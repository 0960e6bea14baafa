// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

/// Only says what the decision is.
private actor Locker: SystemCapability {
    static let permissions: Set<Permission> = [.files]

    nonisolated let identity: ComponentIdentity
    private let status: PermissionStatus

    init(_ scope: borrowing CapabilityScope, _ status: PermissionStatus) {
        identity = scope.identity
        self.status = status
    }

    func permissionStatus(_ permission: Permission) async -> PermissionStatus { status }
}

private enum DeskAction: Action {
    case load(Int)
    case save(Int)
}

/// Names no key. Runs one action of each case at a time, and refuses the others.
private actor DeskClient: ScheduledClient, Component {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>
    private let gate: Gate

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>, _ gate: Gate) {
        identity = scope.identity
        (self.journal, self.gate) = (journal, gate)
    }

    nonisolated func concurrency(of action: DeskAction) -> ActionConcurrency { .serial(limit: 0) }

    func process(_ action: DeskAction) async throws {
        journal.write("\(action)")
        await gate.wait()
    }
}

@Observable
private final class DeskContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let desk: any StatelessClient<DeskAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        desk = try scope.client(DeskClient.self)
    }
}

private struct DeskPage: Presentation {
    let context: DeskContext
    var body: String { "desk" }
}

@MainActor
@Suite("Components that leave requirements to the framework", .timeLimit(.minutes(10)))
struct ComponentDefaultsTests {
    private let orchestrator = Orchestrator(limits: .endless)
    private let journal = Journal<String>()
    private let gate = Gate()

    private func start() async throws {
        let (journal, gate) = (journal, gate)
        orchestrator.register(DeskClient.self) { DeskClient($0, journal, gate) }
        orchestrator.register(DeskContext.self) { try DeskContext($0) }
        try await orchestrator.start()
    }

    @Test("A context without phases of its own goes through all of them without an error (CTX-09)")
    func phases() async throws {
        try await start()
        let host = PresentationHost(DeskPage.self, orchestrator) { _ in }
        try await host.mount()
        let context = try #require(host.context)
        await orchestrator.enterBackground()
        #expect(context.runtime.visibility.knowsBackground)
        await orchestrator.enterForeground()
        #expect(!context.runtime.visibility.knowsBackground)
        await host.unmount()
        #expect(context.errorBoundary.history.isEmpty && orchestrator.errorBoundary.history.isEmpty)
        await orchestrator.shutdown()
    }

    @Test("Without a key, actions of one case share a rule whatever their payloads, and other cases do not (CLI-07)")
    func keys() async throws {
        try await start()
        let desk = try orchestrator.makeContext(DeskContext.self).desk
        let load = Task { try await desk.process(.load(1)) }
        await journal.wait(for: "load(1)")
        let error = await #expect(throws: ClientError.self) { try await desk.process(.load(2)) }
        #expect(error?.code == .actionQueueFull)
        let save = Task { try await desk.process(.save(3)) }
        await journal.wait(for: "save(3)")
        gate.open()
        try await load.value
        try await save.value
        #expect(journal.entries == ["load(1)", "save(3)"])
        await orchestrator.shutdown()
    }

    @Test("An action without a validation accepts every value, and its check cannot throw (CTX-13)")
    func validation() {
        DeskAction.load(1).validate()
        #expect(!DeskAction.validates)
    }

    @Test("A capability that can show nothing answers a request with the status (CAP-26)")
    func request() async throws {
        let kept = Journal<CapabilityRef<Locker>>()
        orchestrator.register(Locker.self, requirement: .optional) { Locker($0, .restricted) }
        orchestrator.register(Keeper<Locker>.self) { try Keeper($0, Locker.self) { kept.write($0) } }
        try await orchestrator.start()
        let locker = try #require(kept.entries.first)
        #expect(try await locker.requestPermission(.files) == .restricted)
        #expect(locker.permissionStatus(.files) == .restricted)
        await orchestrator.shutdown()
    }

    @Test("A signal that records nothing stands beside one that records everything")
    func signals() {
        struct Deaf: Signal {}
        struct DeafObserver: Instrumentation {
            func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? { Deaf() }
        }
        let recording = SignalJournal()
        let family = SignalFamily("axiom_test_depth", .gauge, help: "A test.")
        let signal = Instrumentations(DeafObserver(), recording, DeafObserver()).signal(family, [])
        // The journal notes neither of the last two.
        signal?.add(2)
        signal?.set(3)
        signal?.observe(4)
        signal?.observe(nanoseconds: 5)
        #expect(recording.all("axiom_test_depth ") == [2, 3])
    }
}
