// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTesting
import Testing

@MainActor
@Suite("The architecture of an application under test", .timeLimit(.minutes(1)))
struct ArchitectureTests {
    @Test("A harness checks rules, integration and the component's own tests (TL-T17)")
    func component() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        let harness = ArchitectureTestHarness(app.orchestrator)
        let report = try await harness.runTests(for: teas.context)
        #expect(report.isPassed && report.passed == 3)
        let names = report.results.map(\.component)
        #expect(names == ["TeaContext", "Constraints of TeaContext", "Integration of TeaContext"])
        #expect(harness.runTests().isPassed)
        try await harness.expectValid(teas.context)
        await teas.finish()
    }

    @Test("Each violation is a failure with its text")
    func violations() async {
        let texts = await failures {
            let (app, _) = TestOrchestrator.teaShop()
            app.orchestrator.register(IdleClient.self) { IdleClient($0) }
            let teas = try await app.context(TeaContext.self)
            await teas.send(.rename("")) { $0.title = "" }
            try await ArchitectureTestHarness(app.orchestrator).expectValid(teas.context)
            await teas.finish()
        }
        #expect(
            texts == [
                "warning missing_error_handling: No context uses the client IdleClient, so its errors end at no context. "
                    + "Resolve it in a context or in a client that a context uses, or remove its registration.",
                "error component: The shop has a title.",
            ]
        )
    }

    @Test("A component of another application does not belong to this one")
    func foreign() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        let report = try await ArchitectureTestHarness(Orchestrator()).runTests(for: teas.context)
        #expect(report.failed == 1 && report.violations.first?.rule == "integration")
        let text =
            "2 checks passed, 1 failed.\nerror integration: The orchestrator does not know the context TeaContext."
        #expect(report.description.hasPrefix(text))
        await teas.finish()
    }

    @Test("Own tests that throw count as a failure")
    func throwing() async throws {
        let (app, _) = TestOrchestrator.teaShop(.off)
        let teas = try await app.context(TeaContext.self)
        await teas.send(.rename("throw"))
        let report = try await ArchitectureTestHarness(app.orchestrator).runTests(for: teas.context)
        #expect(report.violations.first?.message == "The tests of the component threw SampleError(number: 9).")
        await teas.finish()
    }

    @Test("The dependencies of the application have no cycle (TL-T16)")
    func cycles() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        let detector = CircularDependencyDetector(app.orchestrator.graph)
        #expect(!detector.hasCycle)
        await teas.finish()
    }
}

extension TeaContext: TestableComponent {
    func runArchitectureTests() async throws -> TestResult {
        if title == "throw" { throw SampleError(number: 9) }
        var result = TestResult(component: Self.componentName)
        result.check(!title.isEmpty, "The shop has a title.")
        return result
    }
}

actor IdleClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: NoAction) async throws {}
}
