// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation
import Testing

@Suite("Opening deep links", .timeLimit(.minutes(10)))
@MainActor
struct DeepLinkOpenerTests {
    /// A flow that keeps what it was reset to.
    private final class Flow: DeepLinkTarget {
        var resets: [[LinkRoute]] = []
        var sources: [NavigationSource] = []
        var answer: Result<NavigationOutcome<LinkRoute>, any Error>?

        func reset(
            to routes: [LinkRoute],
            from source: NavigationSource
        ) async throws -> NavigationOutcome<LinkRoute> {
            resets.append(routes)
            sources.append(source)
            return try answer?.get() ?? routes.last.map { .arrived($0) } ?? .unchanged
        }
    }

    /// A handler with a rule of its own.
    private struct OneProduct: DeepLinkHandler {
        func canHandle(_ url: URL) -> Bool { url.scheme == "one" }
        func route(from url: URL) async throws -> LinkRoute { .product(1) }
    }

    private final class Counts: Instrumentation {
        struct Count: Signal {
            let name: String
            let owner: Counts
            func add(_ amount: Int) { owner.counts.withLock { $0[name, default: 0] += amount } }
        }

        let counts = Lock<[String: Int]>([:])
        let bound = Lock<[String]>([])

        func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
            guard family.name == "axiom_deep_links_total" else { return nil }
            bound.withLock { $0.append(values.joined(separator: " ")) }
            return Count(name: values.joined(separator: " "), owner: self)
        }
    }

    private let counts = Counts()
    private let flow = Flow()
    private let orchestrator: Orchestrator
    private let opener: DeepLinkOpener<LinkRoute>

    init() throws {
        orchestrator = Orchestrator(instrumentation: Instrumentations(counts), limits: .endless)
        opener = orchestrator.openLinks(with: try DeepLinkTable(try LinkRoute.links()), on: flow)
    }

    @Test("A link resets the flow to its stack, and says that a link did it (URL-03)")
    func reset() async throws {
        #expect(try await opener.open("shop://product/7") == .arrived(.product(7)))
        let url = try #require(URL(string: "https://shop.example/settings/a?x=1"))
        #expect(try await opener.open(url) == .arrived(.settings(["a"])))
        #expect(flow.resets == [[.home, .product(7)], [.settings(["a"])]])
        #expect(flow.sources == [.deepLink, .deepLink])
    }

    @Test("The orchestrator passes a link to the flow that accepts it (URL-06)")
    func orchestrated() async throws {
        let other = Flow()
        orchestrator.openLinks(with: OneProduct(), on: other)
        #expect(try await orchestrator.handleDeepLink("one://anything") == .opened)
        #expect(try await orchestrator.handleDeepLink(try #require(URL(string: "shop://home"))) == .opened)
        #expect(flow.resets == [[.home]] && other.resets == [[.product(1)]])
        flow.answer = .success(.refused(reason: "no"))
        #expect(try await orchestrator.handleDeepLink("shop://home") == .refused(reason: "no"))
    }

    @Test("An unknown or invalid link is refused with a hint, and changes nothing (URL-04)")
    func unknown() async throws {
        for text in ["shop://prodct/7", "shop://product/%", "", "two://x"] {
            let error = await #expect(throws: NavigationError.self) { try await orchestrator.handleDeepLink(text) }
            #expect([.unknownRoute, .invalidLink].contains(error?.code))
        }
        #expect(flow.resets.isEmpty)
    }

    @Test("Without a flow that opens links, a link is refused; a flow that has ended is none (URL-06)")
    func ended() async throws {
        let empty = Orchestrator()
        var error = await #expect(throws: NavigationError.self) { try await empty.handleDeepLink("shop://home") }
        #expect(error?.code == .noLinkHandler)
        var flow: Flow? = Flow()
        weak let observed = flow
        let opener = try empty.openLinks(with: DeepLinkTable(LinkRoute.links()), on: #require(flow))
        flow = nil
        #expect(observed == nil)
        error = await #expect(throws: NavigationError.self) { try await opener.open("shop://home") }
        #expect(error?.code == .noLinkHandler)
        error = await #expect(throws: NavigationError.self) { try await empty.handleDeepLink("shop://home") }
        #expect(error?.code == .noLinkHandler)
    }

    @Test("Links are counted by pattern and outcome, with signals that are bound once (URL-03)")
    func signals() async throws {
        try await opener.open("shop://home")
        flow.answer = .success(.redirected(to: .orphan))
        try await opener.open("https://shop.example/product/1")
        flow.answer = .success(.refused(reason: "no"))
        try await opener.open("shop://home")
        flow.answer = .failure(NavigationError.unknownRoute("of a transition"))
        for text in ["shop://home", "shop://product/x", "shop://nowhere", "%"] {
            _ = try? await opener.open(text)
        }
        #if Instrumented
        let expected = [
            "shop://home opened": 1, "shop://home refused": 1, "shop://home failed": 1,
            "https://shop.example/product/:id opened": 1, "shop://product/:id failed": 1, "none unknown": 2,
        ]
        #expect(counts.counts.withLock { $0 } == expected)
        #expect(counts.bound.withLock { $0.count } == 24 && Set(counts.bound.withLock { $0 }).count == 24)
        #endif
    }
}
