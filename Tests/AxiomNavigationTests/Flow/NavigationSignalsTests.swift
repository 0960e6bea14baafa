// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

/// A context that does not navigate.
private final class PlainContext: Context {
    let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: NoAction) async throws {}
}

private struct PlainView: Presentation {
    let context: PlainContext

    var body: String { "plain" }
}

@Suite("The signals of a flow", .timeLimit(.minutes(10)))
@MainActor
struct NavigationSignalsTests {
    @Test("A flow counts transitions by outcome, times their phases, and shows its depth (NAV-16)")
    func transitions() async throws {
        let values = SignalValues("axiom_navigation_")
        let world = try await FlowWorld.open(instrumentation: values) { $0.liveScreens = 2 }
        #expect(values["transitions_total main sheet modal arrived"] == 0, "a sample starts at 0")
        try await world.flow.navigate(to: .item(1))
        try await world.flow.navigate(to: .item(2))
        #expect(values["depth main"] == 3 && values["live_screens main"] == 2)
        try await world.flow.navigateBack()
        world.broken = [.swap(1)]
        await #expect(throws: FlowWorld.Broken.self) { try await world.flow.navigate(to: .swap(1)) }
        #expect(values["transitions_total main item push arrived"] == 2)
        #expect(values["transitions_total main item back arrived"] == 1)
        #expect(values["transitions_total main swap replace failed"] == 1)
        for phase in ["middleware", "create", "total"] {
            #expect(try #require(values["duration_seconds main item \(phase)"]) >= 2)
        }
        await world.orchestrator.shutdown()
        #expect(values["depth main"] == 0 && values["live_screens main"] == 0)
    }

    @Test("Flows with one name in metrics share their series, in which their histories are added (NAV-16)")
    func shared() async throws {
        let values = SignalValues("axiom_navigation_")
        let world = try FlowWorld(instrumentation: values) { $0.metricsName = "windows" }
        world.orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await world.orchestrator.start()
        try await world.flow.navigate(to: .item(1))
        try await world.flow.navigateBack()
        var options = NavigationOptions()
        options.metricsName = "windows"
        let other = try world.orchestrator.navigation(FlowRoute.home, options, name: "other") { _ in
            .show(PlainView.self)
        } render: { _ in
        }
        try await other.navigate(to: .item(2))
        #expect(values["depth windows"] == 3 && values["live_screens windows"] == 2)
        #expect(values["transitions_total windows item push arrived"] == 2)
        #expect(values["depth main"] == nil && values["depth other"] == nil)
        try await other.close()
        #expect(values["depth windows"] == 1 && values["live_screens windows"] == 1)
        await world.orchestrator.shutdown()
        #expect(values["depth windows"] == 0 && values["live_screens windows"] == 0)
    }

    @Test("The loads of a prefetcher have the name in metrics of its flow (NAV-16, NAV-17)")
    func prefetch() async throws {
        let values = SignalValues("axiom_navigation_")
        let world = try FlowWorld(instrumentation: values) { $0.metricsName = "windows" }
        let prefetcher = try Prefetcher([PrefetchLoader { (key: ItemKey) in key.id }])
        try world.flow.prefetch(with: prefetcher)
        #expect(values["prefetch_total windows item loaded"] == 0)
        #expect(values["prefetch_total main item loaded"] == nil)
    }

    @Test("Redirections are counted by both routes (NAV-16)")
    func redirects() async throws {
        let values = SignalValues("axiom_navigation_")
        let world = try await FlowWorld.open(instrumentation: values)
        struct ToItem: Middleware {
            nonisolated(nonsending) func process(
                _ request: NavigationRequest<FlowRoute>,
                next: NavigationNext<FlowRoute>
            ) async throws -> NavigationOutcome<FlowRoute> {
                request.route == .account ? .redirected(to: .item(1)) : try await next(request)
            }
        }
        world.flow.addMiddleware(ToItem())
        try await world.flow.navigate(to: .account)
        #expect(values["redirects_total main account item"] == 1)
        #expect(values["transitions_total main account push redirected"] == 1)
    }
}
#endif
