// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Observation
import Testing

@Observable
final class UnknownContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    init(_ scope: borrowing ContextScope) { identity = scope.identity }
}

struct UnknownView: Presentation {
    let context: UnknownContext
    var body: String { "" }
}

@Suite("The validation of flows at the start", .timeLimit(.minutes(10)))
@MainActor
struct FlowValidationTests {
    private enum BadRoute: Route {
        case first, second, empty, circle

        var identifier: String {
            switch self {
            case .first, .second: "same"
            case .empty: ""
            case .circle: "bad-name"
            }
        }

        static let samples: [BadRoute] = [.first, .second, .empty, .circle]
    }

    private enum NoSamples: Route {
        case only

        var identifier: String { "only" }
        static let samples: [NoSamples] = []
    }

    private enum ModalAccount: Route {
        case account

        var identifier: String { "account" }
        var metadata: RouteMetadata { RouteMetadata(requiresAuthentication: true, transition: .modal(.sheet)) }
        static let samples: [ModalAccount] = [.account]
    }

    private struct Circle: RedirectingMiddleware {
        func possibleRedirect(of route: BadRoute) -> BadRoute? { route == .circle ? .empty : .circle }

        nonisolated(nonsending) func process(
            _ request: NavigationRequest<BadRoute>,
            next: NavigationNext<BadRoute>
        ) async throws -> NavigationOutcome<BadRoute> {
            try await next(request)
        }
    }

    @Test("A start throws one error that lists all mistakes of all flows (NAV-10, NAV-11, NAV-12)")
    func allAtOnce() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        var options = NavigationOptions()
        options.liveScreens = 0
        let flow = try orchestrator.navigation(BadRoute.first, options, name: "first flow") { _ in
            Screen.show(UnknownView.self)
        } render: { _ in
        }
        flow.addMiddleware(Circle())
        let other = try orchestrator.navigation(NoSamples.only, name: "other") { _ in
            Screen.show(UnknownView.self)
        } render: { _ in
        }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        let message = error?.message ?? ""
        for part in [
            "its name, \"first flow\"", "identifier of a route, \"\"", "\"bad-name\"", "liveScreens is 0",
            "2 samples of BadRoute have the identifier same", "the context UnknownContext, which is not registered",
            "circle: circle → empty → circle", "NoSamples has no samples",
        ] {
            #expect(message.contains(part), "\(part) in \(message)")
        }
        #expect(!orchestrator.isRunning)
        withExtendedLifetime((flow, other)) {}
    }

    @Test("Routes can be checked without a flow (TL-M8)")
    func routes() throws {
        let error = #expect(throws: CompositionError.self) { try RouteValidator.validate(NoSamples.self) }
        #expect(error?.message == "The routes NoSamples: NoSamples has no samples.")
        #expect(throws: CompositionError.self) { try RouteValidator.validate(BadRoute.self) }
    }

    @Test("A dry run lists the mistakes of flows too (NAV-10)")
    func dryRun() throws {
        let orchestrator = Orchestrator(limits: .endless)
        let flow = try orchestrator.navigation(NoSamples.only) { _ in
            Screen.show(UnknownView.self)
        } render: { _ in
        }
        #expect(orchestrator.validate().mistakes.contains { $0.message.contains("NoSamples has no samples") })
        withExtendedLifetime(flow) {}
    }

    @Test("A flow without mistakes starts, and one with mistakes cannot be added to a running application (NAV-10)")
    func whileRunning() async throws {
        let world = try await FlowWorld.open()
        let error = #expect(throws: CompositionError.self) {
            try world.orchestrator.navigation(NoSamples.only, name: "late") { _ in
                Screen.show(UnknownView.self)
            } render: { _ in
            }
        }
        #expect(error?.message.contains("NoSamples has no samples") == true)
    }

    @Test("Redirections that never end do not exhaust the stack, whatever the limit is (NAV-10, NAV-12)")
    func endlessRedirects() async throws {
        struct Onward: RedirectingMiddleware {
            func possibleRedirect(of route: FlowRoute) -> FlowRoute? {
                guard case .item(let number) = route else { return nil }
                return .item(number + 1)
            }

            nonisolated(nonsending) func process(
                _ request: NavigationRequest<FlowRoute>,
                next: NavigationNext<FlowRoute>
            ) async throws -> NavigationOutcome<FlowRoute> {
                try await next(request)
            }
        }
        for limit in [8, 1_000_000, .max] {
            let world = try FlowWorld { $0.redirectLimit = limit }
            for _ in 0..<3 { world.flow.addMiddleware(Onward()) }
            let mistakes = world.orchestrator.validate().mistakes
            #expect(mistakes.contains { $0.message.contains("item(0) → ") && $0.message.count < 2_000 })
        }
    }

    @Test("Two flows cannot have one name (NAV-10)")
    func sameName() throws {
        let world = try FlowWorld()
        let error = #expect(throws: CompositionError.self) {
            try world.orchestrator.navigation(FlowRoute.home) {
                Screen.show(FlowView.self, $0)
            } render: { _ in
            }
        }
        #expect(error?.message == "There are two flows with the name main.")
    }

    @Test("A modal route that requires a signed-in user is a warning, not an error (NAV-10)")
    func modalAuthentication() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(UnknownContext.self) { UnknownContext($0) }
        let flow = try orchestrator.navigation(ModalAccount.account) { _ in
            Screen.show(UnknownView.self)
        } render: { _ in
        }
        let report = orchestrator.validate()
        #expect(report.isComplete && report.warnings.map(\.rule) == [.modalAuthentication])
        #expect(report.warnings.first?.severity == .warning && report.description.contains("account"))
        try await orchestrator.start()
        withExtendedLifetime(flow) {}
        await orchestrator.shutdown()
    }
}
