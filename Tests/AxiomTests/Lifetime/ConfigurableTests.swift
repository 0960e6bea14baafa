// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What the capability of a test does when it is configured.
private final class NetworkControl: Sendable {
    let journal = Journal<String>()
    let gate = Gate()
    let holds = Lock(false)
    let initializationFails = Lock(false)
}

private actor Network: Configurable {
    struct Settings: Sendable, Hashable {
        var timeout = 5
    }

    nonisolated let identity: ComponentIdentity
    private let control: NetworkControl
    private(set) var timeout = 0
    private var isBusy = false

    init(_ scope: borrowing CapabilityScope, _ control: NetworkControl) {
        identity = scope.identity
        self.control = control
    }

    func initialize() async throws {
        try await step("initialize") {
            if control.initializationFails.withLock({ $0 }), timeout < 10 { throw SampleError("too slow") }
        }
    }

    func terminate() async {
        try? await step("terminate") {}
    }

    func configure(_ settings: Settings) async throws {
        try await step("configure \(settings.timeout)") {
            guard settings.timeout > 0 else {
                throw ConfigurationError.refused("timeout", because: "it is not positive")
            }
            timeout = settings.timeout
        }
    }

    /// Fails if another step has not ended.
    private func step(_ name: String, _ body: () throws -> Void) async throws {
        control.journal.write(isBusy ? "\(name) overlaps" : name)
        isBusy = true
        defer { isBusy = false }
        if control.holds.withLock({ $0 }) { await control.gate.wait() } else { await Task.yield() }
        try body()
    }
}

private actor Downloads: Capability {
    nonisolated let identity: ComponentIdentity
    private let control: NetworkControl

    init(_ scope: borrowing CapabilityScope, _ control: NetworkControl) throws {
        identity = scope.identity
        self.control = control
        _ = try scope.capability(Network.self)
    }

    func initialize() async throws { control.journal.write("downloads") }
}

@MainActor
@Suite("Settings of a capability", .timeLimit(.minutes(10)))
struct ConfigurableTests {
    /// Stands still, so that no limit expires.
    private let orchestrator = Orchestrator(clock: .manual(ManualTime()))
    private let control = NetworkControl()

    private func register(_ requirement: CapabilityRequirement = .required) -> Orchestrator {
        let control = control
        orchestrator.register(Network.self, requirement: requirement) { Network($0, control) }
        orchestrator.register(Downloads.self, requirement: .optional) { try Downloads($0, control) }
        return orchestrator
    }

    private func network() throws -> Network {
        let slot = try #require(orchestrator.capabilities?.resolver)
        let asker = ComponentDescriptor(kind: .client, name: "Test")
        return try slot.resolve(Network.self, for: asker).current()
    }

    @Test("Settings that come before the start are in force before the capability is initialised (CAP-28)")
    func beforeStart() async throws {
        try await register().configure(Network.self, Network.Settings(timeout: 3))
        try await orchestrator.start()
        #expect(control.journal.entries == ["configure 3", "initialize", "downloads"])
        #expect(try await network().timeout == 3)
    }

    @Test("New settings reach the same instance; neither it nor its dependents are made again (CAP-28)")
    func inPlace() async throws {
        try await register().start()
        let before = try network()
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 7))
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 7))
        #expect(try network() === before)
        #expect(await before.timeout == 7)
        #expect(control.journal.entries == ["initialize", "downloads", "configure 7"])
    }

    @Test("Refused settings end at the orchestrator with key and reason, and the old ones stay in force (CAP-28)")
    func refused() async throws {
        try await register().start()
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 7))
        let error = await #expect(throws: ConfigurationError.self) {
            try await orchestrator.configure(Network.self, Network.Settings(timeout: 0))
        }
        #expect(error?.code == .settingsRefused)
        #expect(error?.message == "The setting timeout was refused: it is not positive.")
        #expect(orchestrator.errorBoundary.count == 1)
        #expect(orchestrator.errorBoundary.current?.origin.name == "Network")
        #expect(try await network().timeout == 7)
        // A new instance gets the old ones, not the refused ones.
        try await orchestrator.capabilityChanged(Network.self, .serviceRestored)
        #expect(try await network().timeout == 7)
    }

    @Test("A changed configuration without new settings applies those in force again")
    func again() async throws {
        try await register().start()
        try await orchestrator.capabilityChanged(Network.self, .configurationChanged)
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 2))
        try await orchestrator.capabilityChanged(Network.self, .configurationChanged)
        #expect(control.journal.entries == ["initialize", "downloads", "configure 2", "configure 2"])
    }

    @Test("A configuration never overlaps with an initialisation, a termination or another configuration")
    func exclusive() async throws {
        try await register().start()
        let changes = (1...20).map { round in
            Task { [orchestrator] in
                if round.isMultiple(of: 5) {
                    try await orchestrator.capabilityChanged(Network.self, .serviceRestored)
                } else {
                    try await orchestrator.configure(Network.self, Network.Settings(timeout: round))
                }
            }
        }
        for change in changes { try await change.value }
        #expect(!control.journal.entries.contains { $0.hasSuffix("overlaps") }, "\(control.journal.entries)")
    }

    @Test("New settings initialise a capability that failed without them, and are taken back if they do not help")
    func repaired() async throws {
        control.initializationFails.withLock { $0 = true }
        try await register(.optional).start()
        let failures = orchestrator.errorBoundary.count
        await #expect(throws: CapabilityError.self) {
            try await orchestrator.configure(Network.self, Network.Settings(timeout: 4))
        }
        #expect(orchestrator.settings.inForce(for: Network.self) == nil)
        #expect(orchestrator.errorBoundary.count > failures)
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 10))
        #expect(try await network().timeout == 10)
    }

    @Test("Settings of a capability that is not registered are an error, and so are settings during a shutdown")
    func mistakes() async throws {
        try await orchestrator.start()
        let error = await #expect(throws: CompositionError.self) {
            try await orchestrator.configure(Network.self, Network.Settings())
        }
        #expect(error?.code == .notRegistered)
        await orchestrator.shutdown()
        try await orchestrator.configure(Network.self, Network.Settings(timeout: 1))
        #expect(orchestrator.settings.inForce(for: Network.self)?.timeout == 1)
    }
}
