// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import AxiomStorage

/// What is made from a scope or an orchestrator measures by its clock.
@Suite("The clock of an application", .timeLimit(.minutes(10)))
@MainActor
struct ApplicationClockTests {
    private let time = ManualTime()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(clock: .manual(time), limits: .endless)
    }

    @Test("A cache of an orchestrator expires its values by a manual time")
    func cache() async throws {
        let cache: Cache<String, Int> = try orchestrator.cache("numbers", limits: CacheLimits(lifetime: .seconds(10)))
        cache.store(1, for: "one")
        time.advance(by: .seconds(9))
        #expect(cache.value(for: "one") == 1)
        time.advance(by: .seconds(2))
        #expect(cache.value(for: "one") == nil)
    }

    @Test("A client's cache, and everything that takes the identity's clock, follow a manual time")
    func client() async throws {
        orchestrator.register(Shelf.self) { try Shelf($0) }
        orchestrator.register(ShelfContext.self) { try ShelfContext($0) }
        try await orchestrator.start()
        let shelf = try orchestrator.makeContext(ShelfContext.self).shelf
        try await shelf.process(.store(1))
        time.advance(by: .seconds(11))
        try await shelf.process(.expectNothing)
        #expect(orchestrator.clock.now == time.now)
        await orchestrator.shutdown()
    }
}

private enum ShelfAction: Action {
    case store(Int)
    case expectNothing
}

private actor Shelf: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let cache: Cache<String, Int>
    private let answers: CapabilityCache<Int>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        cache = try Cache("shelf", limits: CacheLimits(lifetime: .seconds(10)), component: scope.identity)
        answers = CapabilityCache(maximumAge: .seconds(10), clock: scope.identity.clock)
    }

    func process(_ action: ShelfAction) async throws {
        switch action {
        case .store(let value):
            cache.store(value, for: "one")
            answers.store(value)
        case .expectNothing:
            #expect(cache.value(for: "one") == nil && answers.current == nil)
        }
    }
}

@Observable
private final class ShelfContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let shelf: any StatelessClient<ShelfAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        shelf = try scope.client(Shelf.self)
    }
}
