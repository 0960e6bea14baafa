// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

private actor Uplink: NetworkCapability {
    nonisolated let identity: ComponentIdentity
    private let isUp: Box<Bool>

    init(_ scope: borrowing CapabilityScope, _ isUp: Box<Bool>) {
        identity = scope.identity
        self.isUp = isUp
    }

    var isOnline: Bool { get async { isUp.value ?? true } }
}

private actor Attic: StorageCapability {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>
    private let gate: Gate?

    init(_ scope: borrowing CapabilityScope, _ journal: Journal<String>, _ gate: Gate? = nil) {
        identity = scope.identity
        self.journal = journal
        self.gate = gate
    }

    func relieve(_ pressure: PressureLevel) async -> Int64 {
        journal.write("attic \(pressure)")
        await gate?.wait()
        return 1_000
    }
}

private actor Renderer: Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

/// A client with a cache, and a cache that several clients share.
private actor Thumbnails: StatelessClient, Component, PressureRelieving {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        self.journal = journal
    }

    func process(_ action: NoAction) async throws {}

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        journal.write("thumbnails \(resource.rawValue) \(pressure)")
        return 200
    }
}

private final class SharedCache: PressureRelieving {
    private let journal: Journal<String>
    private let hangs: Bool

    init(_ journal: Journal<String>, hangs: Bool = false) {
        self.journal = journal
        self.hangs = hangs
    }

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        journal.write("shared \(resource.rawValue) \(pressure)")
        if hangs { await Gate().wait() }
        return 30
    }
}

@MainActor
@Suite("Classes of capabilities", .timeLimit(.minutes(10)))
struct CapabilityClassTests {
    private let time = ManualTime()
    private let journal = Journal<String>()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(clock: .manual(time))
    }

    private func ref<C: Sendable>(_ type: C.Type) async throws -> CapabilityRef<C> {
        let box = Box<CapabilityRef<C>>()
        orchestrator.register(Keeper<C>.self) { try Keeper($0, type) { box.put($0) } }
        try await orchestrator.start()
        return try box.value.orThrow()
    }

    @Test("A network capability is available while it is online, and minimal while it is not (CAP-23)")
    func network() async throws {
        let isUp = Box<Bool>()
        orchestrator.register(Uplink.self) { Uplink($0, isUp) }
        let uplink = try await ref(Uplink.self)
        #expect(await uplink.isAvailable && uplink.degradationLevel == .full)
        isUp.put(false)
        await orchestrator.refreshAll()
        #expect(await uplink.isAvailable == false)
        await uplink.reaches(.minimal)
    }

    @Test(
        "Memory pressure reaches capabilities, clients and shared caches, and the freed bytes are added (MEM-02, CAP-24)"
    )
    func relieve() async throws {
        orchestrator.register(Attic.self) { [journal] in Attic($0, journal) }
        orchestrator.register(Thumbnails.self) { [journal] in Thumbnails($0, journal) }
        try await orchestrator.start()
        let cache = SharedCache(journal)
        orchestrator.relieve(with: cache)
        orchestrator.relieve(with: cache)
        orchestrator.relieve(with: SharedCache(journal))
        #expect(await orchestrator.relieve(.memory, .critical) == 1_230)
        #expect(
            Set(journal.entries) == ["attic critical", "thumbnails memory critical", "shared memory critical"]
        )
        #expect(journal.entries.count == 3)
        #expect(await orchestrator.relieve(.thermal, .warning) == 230)
        await orchestrator.shutdown()
        #expect(await orchestrator.relieve(.memory, .critical) == 0)
    }

    @Test("What gives nothing back in time is named at the boundary, and does not hold up the rest (MEM-02)")
    func late() async throws {
        let gate = Gate()
        orchestrator.register(Attic.self) { [journal] in Attic($0, journal, gate) }
        try await orchestrator.start()
        let cache = SharedCache(journal, hangs: true)
        orchestrator.relieve(with: cache)
        let orchestrator = orchestrator
        let relief = Task { await orchestrator.relieve(.memory, .warning) }
        // Both have a timer. The one that is left is that of the cache.
        await time.waitForSleepers(2)
        gate.open()
        await until { time.sleeperCount == 1 }
        time.advance(by: .seconds(5))
        #expect(await relief.value == 1_000)
        #expect((orchestrator.errorBoundary.current?.error as? LifecycleError)?.code == .limitExpired)
        withExtendedLifetime(cache) {}
    }

    /// The steps of a long computation, as Documentation/capabilities.md writes it.
    private func compute(_ steps: Int, with renderer: CapabilityRef<Renderer>, _ done: Journal<Int>) async throws {
        for step in 0..<steps {
            for await level in renderer.levels where level == .full { break }
            try Task.checkCancellation()
            try await renderer.call { _ in done.write(step) }
        }
    }

    @Test("Heat, an empty battery and short memory limit a capability, and a computation refuses or waits (CAP-25)")
    func pressure() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        for resource in [SystemResource.thermal, .power, .memory] {
            await orchestrator.relieve(resource, .critical)
            let error = #expect(throws: CapabilityError.self) { try renderer.require(.full) }
            #expect(error?.code == .capabilityDegraded)
            #expect(error?.message.contains("the pressure of the resource \(resource.rawValue) is critical") == true)
            await orchestrator.relieve(resource, .warning)
            try renderer.require(.full)
        }
        await orchestrator.relieve(.thermal, .critical)
        await orchestrator.relieve(.power, .critical)
        let done = Journal<Int>()
        let computation = Task { try await compute(3, with: renderer, done) }
        await orchestrator.relieve(.thermal, .none)
        // A replaced instance is limited, too.
        try await orchestrator.capabilityChanged(Renderer.self, .serviceRestored)
        #expect(renderer.degradationLevel == .limited && done.entries.isEmpty)
        await orchestrator.relieve(.power, .warning)
        try await computation.value
        #expect(done.entries == [0, 1, 2])
    }

    @Test("A computation that waits for the end of the pressure ends with its task and with the application (CAP-25)")
    func ended() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        await orchestrator.relieve(.thermal, .critical)
        let cancelled = Task { try await compute(1, with: renderer, Journal()) }
        let waiting = Task { try await compute(1, with: renderer, Journal()) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await orchestrator.shutdown()
        let error = await #expect(throws: CapabilityError.self) { try await waiting.value }
        #expect(error?.code == .capabilityUnavailable)
    }
}
