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

private actor Renderer: ComputationCapability {
    nonisolated let identity: ComponentIdentity
    nonisolated let gate = ComputationGate()
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

    @Test("A computation reports its progress, limited to 0...1, and ends when its task is cancelled (CAP-25)")
    func progress() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        let steps = Journal<Double>()
        let sum = try await renderer.call { renderer in
            try await renderer.run(under: .wait, progress: { steps.write($0) }) { work in
                for step in [-1, 0.25, .nan, 2] { try await work.checkpoint(step) }
                return 6
            }
        }
        #expect(sum == 6)
        #expect(steps.entries == [0, 0, 0.25, 0, 1, 1])
        let endless = Task {
            try await renderer.call { renderer in
                try await renderer.run(under: .wait) { work in
                    while true {
                        try await work.checkpoint(0.5)
                        await Task.yield()
                    }
                }
            }
        }
        endless.cancel()
        await #expect(throws: CancellationError.self) { try await endless.value }
    }

    @Test("Under critical pressure a computation waits, is refused, or proceeds, as it says (CAP-25)")
    func pressure() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        await orchestrator.relieve(.thermal, .critical)
        await orchestrator.relieve(.power, .critical)
        #expect(renderer.degradationLevel == .limited)
        let error = try await #require(throws: CapabilityError.self) {
            try await renderer.call { try await $0.run(under: .refuse) { _ in } }
        }
        #expect(error.code == .computationRefused)
        #expect(error.message == "The capability Renderer refused a computation: power and thermal critically short.")
        try await renderer.call { try await $0.run(under: .proceed) { _ in } }
        let begun = Journal<Double>()
        let waiting = Task {
            try await renderer.call { try await $0.run(under: .wait, progress: { begun.write($0) }) { _ in } }
        }
        let cancelled = Task { try await renderer.call { try await $0.run(under: .wait) { _ in } } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await orchestrator.relieve(.thermal, .none)
        // A replaced instance knows the pressure, too. What waits in the old one ends.
        await begun.wait(for: 0)
        try await orchestrator.capabilityChanged(Renderer.self, .serviceRestored)
        await #expect(throws: CapabilityError.self) {
            try await renderer.call { try await $0.run(under: .refuse) { _ in } }
        }
        await #expect(throws: CapabilityError.self) { try await waiting.value }
        await orchestrator.relieve(.power, .warning)
        try await renderer.call { try await $0.run(under: .refuse) { _ in } }
    }

    @Test("Computations that wait begin when the last pressure has passed (CAP-25)")
    func released() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        await orchestrator.relieve(.thermal, .critical)
        let order = Journal<String>()
        let tasks = (0..<10).map { _ in
            Task {
                try await renderer.call { renderer in
                    try await renderer.run(under: .wait, progress: { _ in order.write("asked") }) { _ in
                        order.write("ran")
                    }
                }
            }
        }
        await order.wait { $0.count { $0 == "asked" } == 10 }
        // A computation asks, and waits for the end of the pressure, in one job of the actor.
        try await renderer.call { _ in }
        #expect(!order.entries.contains("ran"))
        await orchestrator.relieve(.thermal, .warning)
        for task in tasks { try await task.value }
        #expect(order.entries.count { $0 == "ran" } == 10)
    }

    @Test("A computation that waits in an instance that is replaced ends with an error (CAP-25)")
    func replaced() async throws {
        orchestrator.register(Renderer.self) { Renderer($0) }
        let renderer = try await ref(Renderer.self)
        await orchestrator.relieve(.thermal, .critical)
        let (begun, gate) = (Journal<String>(), Gate())
        let late = Task {
            try await renderer.call { renderer in
                try await renderer.run(under: .proceed) { work in
                    begun.write("late")
                    await gate.wait()
                    try await renderer.run(under: .wait) { _ in }
                }
            }
        }
        let waiting = Task {
            try await renderer.call {
                try await $0.run(under: .wait, progress: { _ in begun.write("waiting") }) { _ in }
            }
        }
        await begun.wait { $0.count == 2 }
        try await orchestrator.capabilityChanged(Renderer.self, .serviceRestored)
        gate.open()
        for task in [late, waiting] {
            let error = await #expect(throws: CapabilityError.self) { try await task.value }
            #expect(error?.code == .capabilityUnavailable)
        }
    }
}
