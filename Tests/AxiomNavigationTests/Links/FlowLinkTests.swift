// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Foundation
import Observation
import Testing

@Suite("Deep links of a flow", .timeLimit(.minutes(10)))
@MainActor
struct FlowLinkTests {
    private final class Screens {
        var shown: [String] = []
    }

    /// Redirects every product to the search, as a guard redirects to a sign-in.
    private struct Guard: Middleware {
        nonisolated(nonsending) func process(
            _ request: NavigationRequest<LinkRoute>,
            next: NavigationNext<LinkRoute>
        ) async throws -> NavigationOutcome<LinkRoute> {
            guard request.source == .deepLink, case .product = request.route else { return try await next(request) }
            return .redirected(to: .search("sign in", page: nil))
        }
    }

    private let orchestrator = Orchestrator(limits: .endless)
    private let screens = Screens()
    private let flow: NavigationFlow<LinkRoute>

    init() throws {
        orchestrator.register(LinkContext.self) { LinkContext($0, $1) }
        let screens = screens
        flow = try orchestrator.navigation(LinkRoute.home) { route in
            .show(LinkView.self, route)
        } render: { outputs in
            outputs.last.map { screens.shown.append($0) }
        }
        orchestrator.openLinks(with: try DeepLinkTable(try LinkRoute.links()), on: flow)
    }

    @Test("A link replaces the history by its stack, and shows the last route of it (URL-03, URL-06)")
    func stack() async throws {
        try await orchestrator.start()
        try await flow.navigate(to: .orphan)
        #expect(try await flow.open("shop://product/7") == .arrived(.product(7)))
        #expect(flow.routes == [.home, .product(7)] && screens.shown.last == "product")
        try await flow.navigateBack()
        #expect(flow.currentRoute == .home)
        let url = try #require(URL(string: "https://shop.example/settings/a/b"))
        #expect(try await orchestrator.handleDeepLink(url) == .opened)
        #expect(flow.currentRoute == .settings(["a", "b"]))
        #expect(try await flow.open(try #require(URL(string: "shop://home"))) == .arrived(.home))
        await orchestrator.shutdown()
    }

    @Test("Middleware sees links, so that a guard can redirect them (URL-03)")
    func middleware() async throws {
        try await orchestrator.start()
        flow.addMiddleware(Guard())
        let signIn = LinkRoute.search("sign in", page: nil)
        #expect(try await flow.open("shop://product/7") == .redirected(to: signIn))
        #expect(flow.routes == [.home, signIn])
        #expect(try await orchestrator.handleDeepLink("shop://product/7") == .opened)
        await orchestrator.shutdown()
    }

    @Test("An unknown link throws, also before the start, and leaves the history as it was (URL-04)")
    func refused() async throws {
        await #expect(throws: NavigationError.self) { try await flow.open("shop://nowhere") }
        try await orchestrator.start()
        try await flow.navigate(to: .orphan)
        for text in ["shop://nowhere", "%", "shop://product/x"] {
            await #expect(throws: NavigationError.self) { try await flow.open(text) }
        }
        #expect(flow.routes == [.home, .orphan])
        await orchestrator.shutdown()
    }

    @Test("A flow without links refuses them (URL-04)")
    func withoutLinks() async throws {
        let other = try orchestrator.navigation(LinkRoute.home, name: "other") { route in
            .show(LinkView.self, route)
        } render: { (_: [String]) in
        }
        let error = await #expect(throws: NavigationError.self) { try await other.open("shop://home") }
        #expect(error?.code == .noLinkHandler)
    }
}

@Observable
private final class LinkContext: Context {
    typealias Input = LinkRoute

    @ObservationIgnored let identity: ComponentIdentity
    let route: LinkRoute

    init(_ scope: borrowing ContextScope, _ route: LinkRoute) {
        identity = scope.identity
        self.route = route
    }
}

private struct LinkView: Presentation {
    let context: LinkContext

    var body: String { context.route.identifier }
}
