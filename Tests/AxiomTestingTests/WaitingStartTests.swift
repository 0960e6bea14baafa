// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Observation
import Testing

@MainActor
@Suite("Starts and other works of an application that wait for the test", .timeLimit(.minutes(10)))
struct WaitingStartTests {
    private func makeApp() -> (TestOrchestrator, Simulation) {
        let app = TestOrchestrator()
        let clock = app.clock
        app.orchestrator.register(PausingContext.self) { PausingContext($0, clock) }
        return (app, app.simulate(Kiln.self, as: Kiln.self))
    }

    @Test("A context is refused while the start waits, with what waits and the remedy; then the start continues")
    func refused() async throws {
        let (app, kiln) = makeApp()
        kiln.hang()
        let error = await #expect(throws: TestError.self) { _ = try await app.context(PausingContext.self) }
        #expect(
            error?.message == """
                The start waits for the time or a simulated capability; not ready: Kiln. After start(), call advance(by:) or \
                release(), and only then show a context.
                """
        )
        kiln.release()
        let context = try await app.context(PausingContext.self)
        #expect(kiln.calls == ["initialize"])
        await context.finish()
    }

    @Test("A start that takes time continues when the time moves")
    func slow() async throws {
        let (app, kiln) = makeApp()
        kiln.delay(.seconds(2))
        try await app.start()
        #expect(!app.orchestrator.isRunning)
        await app.advance(by: .seconds(2))
        #expect(app.orchestrator.isRunning)
        let context = try await app.context(PausingContext.self)
        await context.finish()
    }

    @Test("The error of a start that waited is thrown to what needs the application")
    func late() async throws {
        let (app, kiln) = makeApp()
        kiln.delay(.seconds(2))
        kiln.fail(with: SampleError(number: 1))
        try await app.start()
        await app.advance(by: .seconds(2))
        await #expect(throws: CapabilityError.self) { _ = try await app.context(PausingContext.self) }
    }

    @Test("A start that failed can be started again, by the test or by the orchestrator", arguments: [false, true])
    func again(byOrchestrator: Bool) async throws {
        let (app, kiln) = makeApp()
        kiln.fail(with: SampleError(number: 1))
        await #expect(throws: CapabilityError.self) { try await app.start() }
        if byOrchestrator { try await app.orchestrator.start() }
        let context = try await app.context(PausingContext.self)
        #expect(app.orchestrator.isRunning)
        await context.finish()
    }

    @Test("The error of a start that waited is a failure if nothing throws it to the test, once")
    func unread() async {
        let texts = await failures {
            let (app, kiln) = makeApp()
            kiln.delay(.seconds(2))
            kiln.fail(with: SampleError(number: 1))
            try await app.start()
            await app.advance(by: .seconds(2))
            await app.finish()
            await app.finish()
        }
        #expect(texts.count == 1)
        let head = "The start failed after start() had returned, and the test did not call it again for its error: "
        #expect(texts.first?.hasPrefix(head) == true, "\(texts)")
    }

    @Test("The launch of an application whose start waits names its own remedy")
    func launch() async throws {
        var app: TestOrchestrator?
        var kiln: Simulation?
        let error = await #expect(throws: TestError.self) {
            _ = try await TestApplication.launch(TeaRoute.shelf) {
                app = $0
                $0.orchestrator.register(ShelfContext.self) { try ShelfContext($0) }
                $0.orchestrator.register(TeaDetailContext.self) { TeaDetailContext($0, $1) }
                kiln = $0.simulate(Kiln.self, as: Kiln.self)
                kiln?.hang()
            } screen: {
                TeaRoute.screen($0)
            }
        }
        #expect(
            error?.message == """
                The start waits for the time or a simulated capability; not ready: Kiln. launch(_:) shows the first screen at \
                once: in `configure`, release the call or remove the delay.
                """
        )
        kiln?.release()
        await app?.finish()
    }

    @Test("A start that waits at the end of the test is reported once")
    func unendedStart() async {
        let texts = await failures {
            let (app, kiln) = makeApp()
            kiln.hang()
            try await app.start()
            await app.finish()
        }
        #expect(texts == ["At the end of the test, the start waits for the time or a simulated capability."])
    }

    @Test("A way that waits at the end of the test is reported", arguments: ["background", "foreground"])
    func ways(to place: String) async {
        let texts = await failures {
            let (app, _) = makeApp()
            let context = try await app.context(PausingContext.self)
            await app.enterBackground()
            if place == "foreground" {
                await app.advance(by: .seconds(1))
                await app.enterForeground()
            }
            await context.finish()
        }
        let work = "the way to the \(place)"
        #expect(texts == ["At the end of the test, \(work) waits for the time or a simulated capability."])
    }

    @Test("A way that waits for one of two contexts at the end of the application is reported once")
    func wayOfTwo() async {
        let texts = await failures {
            let (app, _) = makeApp()
            let contexts = [
                try await app.context(PausingContext.self), try await app.context(PausingContext.self),
            ]
            await app.enterBackground()
            await app.finish()
            withExtendedLifetime(contexts) {}
        }
        #expect(
            texts == ["At the end of the test, the way to the background waits for the time or a simulated capability."]
        )
    }

    @Test("A way that ends when the time moves is no failure")
    func way() async throws {
        let (app, _) = makeApp()
        let context = try await app.context(PausingContext.self)
        await app.enterBackground()
        #expect(app.lifecycle.events(of: context).last == .willEnterBackground)
        await app.advance(by: .seconds(1))
        #expect(app.lifecycle.events(of: context).last == .didEnterBackground)
        await context.finish()
    }
}

/// A double whose initialization is a call.
private actor Kiln: SimulatedCapability {
    nonisolated let identity: ComponentIdentity
    nonisolated let simulation: Simulation

    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
        (identity, self.simulation) = (scope.identity, simulation)
        simulation.connect(scope)
    }

    func initialize() async throws { try await simulation.call() }
}

/// Needs a second for each way.
@MainActor
@Observable
private final class PausingContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let clock: TimeSource

    init(_ scope: borrowing ContextScope, _ clock: TimeSource) {
        (identity, self.clock) = (scope.identity, clock)
    }

    func onBackground() async throws { try await clock.sleep(for: .seconds(1)) }
    func onForeground() async throws { try await clock.sleep(for: .seconds(1)) }
}
