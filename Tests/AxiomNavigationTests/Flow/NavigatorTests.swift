// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("The navigators of contexts", .timeLimit(.minutes(10)))
@MainActor
struct NavigatorTests {
    @Test("A context without a flow of its routes gets an error that names the remedy (NAV-02, CTX-15)")
    func missing() async throws {
        let world = try FlowWorld()
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(FlowContext.self) { try FlowContext($0, $1, world) }
        try await orchestrator.start()
        let host = PresentationHost(FlowView.self, orchestrator) { _ in }
        let error = await #expect(throws: CompositionError.self) { try await host.mount(.home) }
        #expect(error?.code.rawValue == "AXIOM_COMPOSITION_002")
        #expect(error?.recoverySuggestion.contains("orchestrator.navigation(…)") == true)
    }

    @Test("A context with several flows of its routes names one (CTX-15)")
    func several() async throws {
        let world = try FlowWorld()
        let second = try world.orchestrator.navigation(FlowRoute.home, name: "second") {
            Screen.show(FlowView.self, $0)
        } render: { _ in
        }
        try await world.orchestrator.start()
        let error = await #expect(throws: CompositionError.self) { try await world.flow.open() }
        #expect(error?.recoverySuggestion.contains("flow: \"main\"") == true)
        withExtendedLifetime(second) {}
    }

    @Test("A navigator does not keep its flow: without the flow it throws (CTX-15)")
    func weak() async throws {
        let world = try await FlowWorld.open()
        var flow: NavigationFlow<FlowRoute>? = try world.orchestrator.navigation(.home, name: "short") {
            .show(FlowView.self, $0)
        } render: { _ in
        }
        let navigator = Navigator(try #require(flow))
        weak let released = flow
        flow = nil
        #expect(released == nil)
        let error = await #expect(throws: NavigationError.self) { try await navigator.request(FlowRoute.home) }
        #expect(error?.code == .flowEnded && error?.message.contains("short") == true)
    }

    @Test("An error of a context leads to another screen, through its recovery strategy (NAV-21, CAP-21)")
    func recovery() async throws {
        let world = try await FlowWorld.open()
        world.recovery = { .navigate(to: .item(1), with: $0.navigator) }
        await world.top?.send(FlowAction { _ in throw AuthorizationError.sessionExpired() })
        await until { !world.flow.isTransitioning && world.flow.routes.count == 2 }
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("A recovery whose destination cannot be shown keeps both errors (NAV-21)")
    func failedRecovery() async throws {
        let world = try await FlowWorld.open()
        world.broken = [.item(1)]
        world.recovery = { .navigate(to: .item(1), with: $0.navigator) }
        let context = try #require(world.top)
        await context.send(FlowAction { _ in throw AuthorizationError.sessionExpired() })
        await until {
            context.errorBoundary.history.contains { ($0.error as? any AxiomError)?.code == .sessionExpired }
        }
        await until { !world.flow.isTransitioning }
        #expect(world.flow.routes == [.home])
    }

    @Test(
        "Neither a client nor a capability can get a navigator (NAV-22, CTX-15)",
        arguments: ["ClientScope", "CapabilityScope"]
    )
    nonisolated func compileFailure(scope: String) async throws {
        let compiler = try Compiler()
        let allowed = try await compiler.compile(source("ContextScope"))
        #expect(allowed.status == 0, "\(allowed.errors)")
        let refused = try await compiler.compile(source(scope))
        #expect(refused.status != 0)
        #expect(
            refused.errors.contains("error: value of type '\(scope)' has no member 'navigator'"),
            "\(refused.errors)"
        )
    }

    private nonisolated func source(_ scope: String) -> String {
        """
        import Axiom
        import AxiomNavigation

        enum Shop: Route {
            case home
            var identifier: String { "home" }
            static let samples: [Shop] = [.home]
        }

        @MainActor
        func navigate(_ scope: borrowing \(scope)) throws {
            _ = try scope.navigator(Shop.self)
        }
        """
    }
}
