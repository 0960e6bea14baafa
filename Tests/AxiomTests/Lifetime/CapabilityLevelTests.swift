// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What the links of a test say and note.
private final class LinkControl: Sendable {
    let statuses = Box<CapabilityStatus>()
    let journal = Journal<String>()
    private let said = Lock(DegradationLevel.full)
    let whileInitializing: DegradationLevel?
    private let refused = Lock(false)

    init(whileInitializing: DegradationLevel? = nil) {
        self.whileInitializing = whileInitializing
    }

    var level: DegradationLevel {
        get { said.withLock { $0 } }
        set { said.withLock { $0 = newValue } }
    }

    var refuses: Bool {
        get { refused.withLock { $0 } }
        set { refused.withLock { $0 = newValue } }
    }
}

private actor Uplink: Configurable {
    nonisolated let identity: ComponentIdentity
    private let status: CapabilityStatus
    private let control: LinkControl

    init(_ scope: borrowing CapabilityScope, _ control: LinkControl) {
        identity = scope.identity
        status = scope.status
        self.control = control
        control.statuses.put(scope.status)
    }

    var degradationLevel: DegradationLevel { get async { control.level } }

    func initialize() async throws {
        control.journal.write("initialized")
        if let level = control.whileInitializing { status.report(level) }
    }

    func configure(_ settings: Int) async throws {
        control.journal.write("configured")
        if control.refuses { throw SampleError("the port is no number") }
    }

    func terminate() async { control.journal.write("terminated") }
}

private actor Downstream: Capability {
    nonisolated let identity: ComponentIdentity
    let journal: Journal<String>

    init(_ scope: borrowing CapabilityScope, _ journal: Journal<String>) throws {
        identity = scope.identity
        self.journal = journal
        _ = try scope.capability(Uplink.self)
    }

    func initialize() async throws { journal.write("downstream") }
}

@MainActor
@Suite("The level of a capability", .timeLimit(.minutes(10)))
struct CapabilityLevelTests {
    /// Stands still, so that no limit expires.
    private let orchestrator = Orchestrator(clock: .manual(ManualTime()))

    private func start(
        _ control: LinkControl,
        requirement: CapabilityRequirement = .required
    ) async throws -> (CapabilityRef<Uplink>, CapabilityRef<Downstream>) {
        let (uplink, downstream) = (Box<CapabilityRef<Uplink>>(), Box<CapabilityRef<Downstream>>())
        orchestrator.register(Uplink.self, requirement: requirement) { Uplink($0, control) }
        orchestrator.register(Downstream.self) { try Downstream($0, control.journal) }
        orchestrator.register(Keeper<Uplink>.self) { try Keeper($0, Uplink.self) { uplink.put($0) } }
        orchestrator.register(Keeper<Downstream>.self) { try Keeper($0, Downstream.self) { downstream.put($0) } }
        try await orchestrator.start()
        return (try #require(uplink.value), try #require(downstream.value))
    }

    @Test("A reference shows the level that the capability reported last, and what depends on it follows")
    func reported() async throws {
        let control = LinkControl()
        let (uplink, downstream) = try await start(control)
        let status = try #require(control.statuses.value)
        for level in [DegradationLevel.minimal, .limited, .full, .minimal] {
            status.report(level)
            #expect(uplink.degradationLevel == level)
            await until { downstream.degradationLevel == level }
            #expect(orchestrator.capabilities?.order.map(\.degradation) == [level, level])
        }
    }

    @Test("A report inside initialize() counts, and what the capability says of itself does not any more")
    func reportedEarly() async throws {
        let control = LinkControl(whileInitializing: .limited)
        let (uplink, downstream) = try await start(control)
        #expect(uplink.degradationLevel == .limited && downstream.degradationLevel == .limited)
        control.level = .minimal
        _ = await uplink.isAvailable
        #expect(uplink.degradationLevel == .limited)
    }

    @Test("The reports of an instance that was replaced have no effect")
    func oldInstance() async throws {
        let control = LinkControl()
        let (uplink, _) = try await start(control)
        let old = try #require(control.statuses.value)
        old.report(.minimal)
        try await orchestrator.capabilityChanged(Uplink.self, .serviceRestored)
        #expect(uplink.degradationLevel == .full)
        old.report(.minimal)
        #expect(uplink.degradationLevel == .full)
    }

    @Test("A late report of an instance does not replace that of its successor, which is still being initialised")
    func lateReport() {
        var level = CapabilityLevel()
        level.occupied(by: 1, saying: .full)
        level.vacated()
        level.reported(CapabilityReport(level: .limited, isAvailable: nil, reason: "slow"), by: 2)
        level.reported(CapabilityReport(level: .minimal, isAvailable: nil, reason: "ended"), by: 1)
        level.occupied(by: 2, saying: .full)
        #expect(level.own == .limited && level.reason == "slow")
    }

    @Test("What the capability says of itself is read again after each question for its availability")
    func readAgain() async throws {
        let control = LinkControl()
        let (uplink, downstream) = try await start(control)
        control.level = .minimal
        uplink.invalidate()
        #expect(await uplink.isAvailable)
        while uplink.degradationLevel == .full { await Task.yield() }
        #expect(uplink.degradationLevel == .minimal)
        await until { downstream.degradationLevel == .minimal }
    }

    @Test("A required capability passes its level on, an optional one leaves what needs it limited at worst (CAP-13)")
    func inherited() async throws {
        let levels = DegradationLevel.allCases
        #expect(levels.map { $0.inherited(from: .required) } == [.full, .limited, .minimal, .minimal])
        #expect(levels.map { $0.inherited(from: .optional) } == [.full, .limited, .limited, .limited])
        let control = LinkControl()
        let (_, downstream) = try await start(control, requirement: .optional)
        control.statuses.value?.report(.minimal)
        await until { downstream.degradationLevel == .limited }
    }

    @Test("A changed configuration reaches the same instance, and nothing is terminated or initialised")
    func configured() async throws {
        let control = LinkControl()
        let (uplink, _) = try await start(control)
        let (before, written) = (try uplink.current(), control.journal.entries.count)
        control.level = .limited
        try await orchestrator.configure(Uplink.self, 1)
        #expect(try uplink.current() === before)
        #expect(Array(control.journal.entries.dropFirst(written)) == ["configured"])
        #expect(uplink.degradationLevel == .limited)
    }

    @Test("A configuration that the capability refuses is thrown and counted once, and the capability works as before")
    func refused() async throws {
        let control = LinkControl()
        let (uplink, downstream) = try await start(control)
        let before = try uplink.current()
        control.refuses = true
        await #expect(throws: SampleError("the port is no number")) {
            try await orchestrator.configure(Uplink.self, 1)
        }
        #expect(try uplink.current() === before)
        #expect(uplink.degradationLevel == .full && downstream.degradationLevel == .full)
        #expect(orchestrator.errorBoundary.count == 1)
        #expect(orchestrator.errorBoundary.current?.origin.name == "Uplink")
    }
}
