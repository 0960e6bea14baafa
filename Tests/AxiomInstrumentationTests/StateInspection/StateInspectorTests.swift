// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom
@testable import AxiomInstrumentation

/// Counts its living instances.
private final class Token: Sendable {
    private let bench: Bench

    init(_ bench: Bench) {
        self.bench = bench
        bench.living.withLock { $0 += 1 }
    }

    deinit { bench.living.withLock { $0 -= 1 } }
}

/// An inspector under a clock that the test moves, and stores.
private final class Bench: Sendable {
    let time = ManualTime()
    let living = Lock(0)
    let inspector: StateInspector

    init(updateLimit: Int = StateInspector.updateLimit, byteLimit: Int = StateInspector.byteLimit) {
        inspector = StateInspector(nil, clock: .manual(time), updateLimit: updateLimit, byteLimit: byteLimit)
    }

    func store<S: OwnedState>(_ initial: S, _ name: String = "CartClient") -> StateStore<S> {
        let client = ComponentDescriptor(kind: .client, name: name)
        let recorder = inspector.recorder(for: client, instance: 7)
        return StateStore(initial, probe: Silence(), clock: .manual(time), recorder: recorder)
    }

    struct Silence: StateProbe {
        func stateUpdated() {}
        func statesCoalesced(_ count: Int) {}
        func statePropagated(nanoseconds: Int64) {}
        func subscriberStalled(dropped: Int) {}
    }

    var livingTokens: Int { living.withLock { $0 } }

    /// Waits until so many tokens live: a task may still measure others.
    func settle(_ count: Int) async {
        while livingTokens != count { await Task.yield() }
    }
}

private struct Held: OwnedState {
    var n = 0
    // axiom:ignore state-reference The object shows when the framework releases the state.
    var token: Token
    static func == (left: Held, right: Held) -> Bool { left.n == right.n }
    func hash(into hasher: inout Hasher) { hasher.combine(n) }
}

private struct Cart: OwnedState {
    var items: [Int] = []
}

private struct Blob: OwnedState {
    var text = ""
}

@Suite("The inspection of states", .timeLimit(.minutes(10)))
struct StateInspectorTests {
    @Test("Scrubbing shows the states of the latest 200 updates as a recording has them, each with what it changed")
    func scrubbing() throws {
        let (bench, seed) = (Bench(), TestSeed.drawn())
        let store = bench.store(Cart())
        var random = SeededGenerator(seed: seed)
        var recording = [Cart()]
        let id = try #require(bench.inspector.stores().first?.id)
        for _ in 0..<500 {
            bench.time.advance(by: .milliseconds(1))
            store.update { cart in
                // Another number each time: an equal state would be no update.
                cart.items.append(recording.count)
                if cart.items.count > 6 { cart.items.removeFirst(random.index(below: 4)) }
            }
            recording.append(store.state)
        }
        let latest = try #require(bench.inspector.state(of: id))
        #expect(latest.store.update == 500 && latest.update == 500)
        #expect(latest.updates.map(\.update) == Array(301...500))
        #expect(latest.store.dropped == 301)
        for update in 301...500 {
            let shown = try #require(bench.inspector.state(of: id, update: UInt64(update)))
            let tree = StateRenderer.tree(of: recording[update])
            #expect(shown.tree == tree, "seed \(seed), update \(update)")
            guard update > 301 else { continue }
            let before = StateRenderer.tree(of: recording[update - 1])
            #expect(shown.before == UInt64(update - 1))
            #expect(before.applying(shown.changes) == tree, "seed \(seed), update \(update)")
        }
        #expect(bench.inspector.state(of: id, update: 300) == nil)
        #expect(bench.inspector.state(of: 99) == nil)
    }

    @Test("Stores that were released do not pile up, and each living one is found")
    func releasedStores() {
        let bench = Bench()
        let living = (0..<300).map { number -> StateStore<Cart> in
            for _ in 0..<5 { _ = bench.store(Cart()) }
            return bench.store(Cart(items: [number]))
        }
        let (stores, ids) = bench.inspector.state.withLock { ($0.stores.count, $0.ids.count) }
        #expect(stores <= 2 * 300 && ids <= stores)
        #expect(bench.inspector.stores().count == 300)
        #expect(bench.inspector.state.withLock { $0.stores.count } == 300)
        withExtendedLifetime(living) {}
    }

    @Test("Nothing is retained before there is a reader, and nothing after the last one has left")
    func readers() async {
        let bench = Bench()
        let store = bench.store(Held(token: Token(bench)))
        func change(_ times: Int) {
            for _ in 0..<times { store.update { $0 = Held(n: $0.n + 1, token: Token(bench)) } }
        }
        change(50)
        await bench.settle(1)
        #expect(bench.inspector.stores().first?.update == 50)
        change(50)
        await bench.settle(51)
        bench.time.advance(by: .seconds(9))
        bench.inspector.expire()
        await bench.settle(51)
        bench.time.advance(by: .seconds(1))
        bench.inspector.expire()
        await bench.settle(1)
        #expect(bench.inspector.keptCounts == (0, 0, 0))
        change(50)
        await bench.settle(1)
        // Without a call of expire, the next update ends the inspection.
        _ = bench.inspector.stores()
        change(5)
        bench.time.advance(by: .seconds(10))
        change(1)
        await bench.settle(1)
        _ = bench.inspector.stores()
        change(5)
        bench.inspector.stop()
        await bench.settle(1)
    }

    @Test("100,000 updates of large states stay within the limit, and the oldest are dropped and counted")
    func memory() throws {
        let bench = Bench(byteLimit: 1 << 20)
        let (large, small) = (bench.store(Blob()), bench.store(Cart(), "Other"))
        let texts = (0..<10).map { String(repeating: "\($0)", count: 64 << 10) }
        _ = bench.inspector.stores()
        small.update { $0.items = [1] }
        for n in 1...100_000 {
            large.update { $0.text = texts[n % 10] }
            if n.isMultiple(of: 10) { bench.inspector.measure() }
            if n.isMultiple(of: 1_000) { #expect(bench.inspector.keptCounts.bytes <= 1 << 20) }
        }
        bench.inspector.measure()
        let counts = bench.inspector.keptCounts
        #expect(counts.states == 15 && counts.bytes <= 1 << 20)
        // 2 first states, 1 of the other store, and those of the large one.
        #expect(UInt64(counts.states) + counts.dropped == 100_003)
        let id = try #require(bench.inspector.stores().first?.id)
        #expect(bench.inspector.state(of: id)?.updates.map(\.update) == Array(99_986...100_000))
        withExtendedLifetime(small) {}
    }

    @Test("A state that alone exceeds the limit is not kept, and is shown while it is current")
    func tooLarge() throws {
        let bench = Bench(byteLimit: 10_000)
        let store = bench.store(Blob())
        let id = try #require(bench.inspector.stores().first?.id)
        store.update { $0.text = String(repeating: "x", count: 20_000) }
        bench.inspector.measure()
        let state = try #require(bench.inspector.state(of: id))
        #expect(state.updates.isEmpty && state.update == 1 && state.tree.children.count == 1)
        #expect(bench.inspector.keptCounts.bytes == 0)
    }

    @Test("Updates, readers and the ends of inspections from many tasks lose nothing and retain nothing")
    func concurrency() async {
        let bench = Bench()
        let stores = (0..<4).map { _ in bench.store(Held(token: Token(bench))) }
        await withTaskGroup { group in
            for store in stores {
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<2_000 { store.update { $0 = Held(n: $0.n + 1, token: Token(bench)) } }
                    }
                }
            }
            group.addTask {
                for round in 0..<300 {
                    for reading in bench.inspector.stores() {
                        guard let state = bench.inspector.state(of: reading.id) else { continue }
                        let updates = state.updates.map(\.update)
                        #expect(updates == updates.sorted() && Set(updates).count == updates.count)
                        #expect(updates.count <= StateInspector.updateLimit)
                    }
                    if round.isMultiple(of: 20) { bench.inspector.stop() }
                }
            }
        }
        #expect(bench.inspector.stores().map(\.update) == Array(repeating: 4_000, count: 4))
        bench.inspector.stop()
        await bench.settle(4)
    }

    @Test("A store that was released is not listed, and what it had is released")
    func released() async {
        let bench = Bench()
        var store: StateStore<Held>? = bench.store(Held(token: Token(bench)))
        #expect(bench.inspector.stores().count == 1)
        for n in 1...10 { store?.update { $0 = Held(n: n, token: Token(bench)) } }
        store = nil
        #expect(bench.inspector.stores().isEmpty)
        await bench.settle(0)
    }
}

@Suite("The causes of states", .timeLimit(.minutes(10)))
@MainActor
struct StateCauseTests {
    @Test("Each update has the action of its client, and the trace of the context's action")
    func causes() async throws {
        let app = try await FlightApp.started()
        let inspector = app.telemetry.readings.inspector
        let id = try #require(inspector.stores().first { $0.client.name == "CountClient" }?.id)
        let traces = [
            try #require(await app.trace { try await $0.counter.process(.add) }).id,
            try #require(await app.trace { try await $0.counter.process(.add) }).id,
        ]
        let updates = try #require(inspector.state(of: id)).updates
        #expect(updates.map(\.isFirst) == [true, false, false])
        #expect(updates.dropFirst().map(\.cause?.trace) == traces)
        #expect(updates.dropFirst().map(\.cause?.action) == ["add", "add"])
        #expect(updates.dropFirst().map(\.cause?.component?.name) == ["CountClient", "CountClient"])
        #expect(updates[0].cause == nil)
    }

    @Test("The action of an update is unknown while it runs, and its trace is known")
    func running() async throws {
        let app = try await FlightApp.started()
        let inspector = app.telemetry.readings.inspector
        let id = try #require(inspector.stores().first { $0.client.name == "CountClient" }?.id)
        _ = try await app.trace { context in
            try await context.counter.process(.add)
            // The client's action has ended, and the context's has not.
            let cause = inspector.state(of: id)?.updates.last?.cause
            #expect(cause?.action == "add" && cause?.trace == app.telemetry.currentSpan?.trace)
        }
    }

    @Test("A call without a context is its own trace")
    func alone() async throws {
        let app = try await FlightApp.started()
        let inspector = app.telemetry.readings.inspector
        let context = try app.context()
        let id = try #require(inspector.stores().first { $0.client.name == "CountClient" }?.id)
        try await context.counter.process(.add)
        let cause = inspector.state(of: id)?.updates.last?.cause
        #expect(cause?.action == "add")
        #expect(cause.flatMap { app.telemetry.trace($0.trace) }?.only(.clientAction, "add") != nil)
    }

    @Test("Subscribers have the name of their context")
    func subscribers() async throws {
        let app = try await FlightApp.started()
        let host = PresentationHost(FlightView.self, app.orchestrator) { _ in }
        try await host.mount()
        var found: [StateSubscriber] = []
        while found.isEmpty {
            let stores = app.telemetry.readings.inspector.stores()
            found = stores.first { $0.client.name == "CountClient" }?.subscribers ?? []
            await Task.yield()
        }
        #expect(found.map { $0.component?.name } == ["FlightContext"])
        withExtendedLifetime(host) {}
    }
}
#endif
