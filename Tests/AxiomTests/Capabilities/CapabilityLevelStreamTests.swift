// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

private struct CameraState: OwnedState {
    var level = DegradationLevel.unavailable
}

/// Carries the level of the camera in its state.
private actor CameraClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<CameraState>
    private let camera: CapabilityRef<Camera>
    private var following: Task<Void, Never>?

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(CameraState())
        camera = try scope.capability(Camera.self)
    }

    var state: CameraState { store.state }
    nonisolated var stateStream: StateStream<CameraState> { store.stream }

    func activate() async throws {
        following = Task { [camera, store] in await camera.follow(in: store, \.level) }
    }

    func deactivate() async { following?.cancel() }
    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("The levels of a capability over time", .timeLimit(.minutes(10)))
struct CapabilityLevelStreamTests {
    private let app = CameraApp()

    /// Collects until the sequence ends.
    private func collect(_ levels: CapabilityLevels) -> (Journal<DegradationLevel>, Task<Void, Never>) {
        let journal = Journal<DegradationLevel>()
        let task = Task { for await level in levels { journal.write(level) } }
        return (journal, task)
    }

    @Test("Every subscriber gets the current level first, then each change, and the end at shutdown (CAP-12, CAP-14)")
    func stream() async throws {
        try await app.orchestrator.start()
        let status = try app.control.statuses.value.orThrow()
        status.report(.limited, because: "it is dark")
        let all = try (0..<3).map { _ in collect(try app.camera.levels) }
        for (journal, _) in all { await journal.wait(for: .limited) }
        for (index, level) in [DegradationLevel.minimal, .full, .limited].enumerated() {
            status.report(level)
            for (journal, _) in all { await journal.wait { $0.count == index + 2 } }
        }
        await app.orchestrator.shutdown()
        for (journal, task) in all {
            await task.value
            #expect(journal.entries.prefix(4) == [.limited, .minimal, .full, .limited])
        }
    }

    @Test("A subscriber that does not take levels gets only the newest, and none that equals the last (CAP-12)")
    func coalesced() async throws {
        try await app.orchestrator.start()
        let status = try app.control.statuses.value.orThrow()
        var iterator = try app.camera.levels.makeAsyncIterator()
        #expect(await iterator.next() == .full)
        for level in [DegradationLevel.minimal, .limited, .minimal] { status.report(level) }
        #expect(await iterator.next() == .minimal)
        for level in [DegradationLevel.limited, .minimal, .full] { status.report(level) }
        #expect(await iterator.next() == .full)
    }

    @Test("A cancelled subscriber ends, and one that is released leaves nothing behind (CAP-12)")
    func released() async throws {
        try await app.orchestrator.start()
        let slot = try app.camera.slot
        let (journal, task) = collect(try app.camera.levels)
        await journal.wait(for: .full)
        #expect(slot.levels.count == 1)
        task.cancel()
        await task.value
        await until { slot.levels.count == 0 }
    }

    @Test("The capability becomes unavailable and available again while it is replaced (CAP-12)")
    func replaced() async throws {
        try await app.orchestrator.start()
        let (journal, task) = collect(try app.camera.levels)
        await journal.wait(for: .full)
        app.control.set { $0.refusesToStart = true }
        try? await app.orchestrator.capabilityChanged(Camera.self, .serviceLost)
        await journal.wait(for: .unavailable)
        app.control.set { $0.refusesToStart = false }
        try await app.orchestrator.capabilityChanged(Camera.self, .serviceRestored)
        await journal.wait { $0 == [.full, .unavailable, .full] }
        task.cancel()
    }

    @Test("A report carries availability and a reason, which a check and an error show (CAP-14, CAP-15)")
    func report() async throws {
        try await app.orchestrator.start()
        let (status, ref) = (try app.control.statuses.value.orThrow(), try app.camera)
        #expect(await ref.isAvailable)
        status.report(.minimal, isAvailable: false, because: "the lens is covered")
        #expect(await ref.isAvailable == false)
        #expect(ref.report == CapabilityReport(level: .minimal, isAvailable: false, reason: "the lens is covered"))
        try ref.require(.minimal)
        let error = try #require(throws: CapabilityError.self) { try ref.require(.limited) }
        #expect(error.code == .capabilityDegraded)
        #expect(
            error.message
                == "The capability Camera is minimal, but the operation requires limited: the lens is covered."
        )
        status.report(.unavailable)
        #expect(await ref.isAvailable == false)
        status.report(.full)
        #expect(await ref.isAvailable)
    }

    @Test("A level that a capability requires is checked against its instance, too (CAP-15)")
    func requireInstance() async throws {
        app.control.set { $0.refusesToStart = true }
        try await app.orchestrator.start()
        let error = try #require(throws: CapabilityError.self) { try app.camera.require(.minimal) }
        #expect(error.code == .capabilityUnavailable)
    }

    @Test("A client follows a level in its state, where contexts see it, until the shutdown (CAP-16)")
    func inState() async throws {
        app.orchestrator.register(CameraClient.self) { try CameraClient($0) }
        try await app.orchestrator.start()
        let client = try #require(app.orchestrator.life.run?.clients.compactMap { $0.client as? CameraClient }.first)
        var states = client.stateStream.makeAsyncIterator()
        app.control.statuses.value?.report(.limited)
        while try await states.next()?.level != .limited {}
        app.control.statuses.value?.report(.full)
        while try await states.next()?.level != .full {}
        await app.orchestrator.shutdown()
    }

    @Test("A capability that a developer takes away during a change of its level is published as unavailable (CAP-14)")
    func takenAway() {
        let (gate, time) = (FaultGate(), ManualTime())
        let deadline = TimeSource.manual(time).now.advanced(by: .seconds(60))
        let slot = CapabilitySlot<Int>(
            ComponentDescriptor(kind: .capability, name: "Camera"),
            probe: nil,
            spans: nil,
            faults: gate,
            port: InstrumentationPort(Instrumentations(), clock: .manual(time))
        ) { _ in .propagate }
        slot.changeLevel { $0.level.occupied(by: 1, saying: .full) }
        #expect(slot.state.withLock { $0.present?.level } == .full)
        slot.changeLevel { state in
            state.level.said(.limited, by: 1)
            // As another thread does that is faster.
            gate.inject(.absence, until: deadline)
        }
        #expect(slot.state.withLock { $0.present?.level } == .unavailable)
        time.advance(by: .seconds(60))
        slot.changeLevel { _ in }
        #expect(slot.state.withLock { $0.present?.level } == .limited && !gate.isSet)
    }

    @Test("Random reports from many threads: each subscriber ends at the last level (CAP-14)")
    func storm() async throws {
        try await app.orchestrator.start()
        let (status, ref) = (try app.control.statuses.value.orThrow(), try app.camera)
        let all = (0..<4).map { _ in collect(ref.levels) }
        await withDiscardingTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: 5, stream: UInt64(thread))
                    for _ in 0..<2_000 { status.report(DegradationLevel.allCases[random.index(below: 3)]) }
                }
            }
        }
        status.report(.limited, because: "last")
        for (journal, _) in all { await journal.wait { $0.last == .limited } }
        #expect(ref.report.reason == "last")
        await app.orchestrator.shutdown()
        for (_, task) in all { await task.value }
    }
}
