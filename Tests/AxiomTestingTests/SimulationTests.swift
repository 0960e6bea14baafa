// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("Events from outside", .timeLimit(.minutes(10)))
struct SimulationTests {
    @Test("A context disappears and appears again (TL-T3, TL-T5)")
    func appearance() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        app.lifecycle.expect(.willAppear, .didAppear)
        await teas.simulateDisappear()
        await teas.simulateAppear()
        app.lifecycle.expect(.willDisappear, .didDisappear, .willAppear, .didAppear)
        #expect(app.lifecycle.events(of: teas) == app.lifecycle.events)
        teas.skip()
        await teas.finish()
    }

    @Test("The application goes to the background and returns (TL-T11)")
    func background() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await app.enterBackground()
        await app.enterForeground()
        #expect(app.lifecycle.events(of: teas).prefix(2) == [.willAppear, .didAppear])
        #expect(app.lifecycle.events(of: teas).dropFirst(2).prefix(2) == [.willEnterBackground, .didEnterBackground])
        #expect(app.lifecycle.events(of: teas).dropFirst(4) == [.willEnterForeground, .didEnterForeground])
        await teas.finish()
    }

    @Test("An error is retried as the strategy decides (TL-T3)")
    func recovery() async throws {
        let app = TestOrchestrator()
        let context = try await app.context(recoveryStrategy: .retry(attempts: 3))
        await context.simulateError(SampleError(number: 1))
        await app.advance(by: .seconds(30))
        #expect(context.errorCount == 3)
        #expect(!context.lastErrorHandled)
        await context.expectError(SampleError(number: 1))
        await context.simulateSuccess()
        #expect(context.successCount == 1)
        await context.finish()
    }

    @Test("A recovered error names its remedy")
    func recovered() async throws {
        let app = TestOrchestrator()
        let context = try await app.context(recoveryStrategy: .ignore)
        await context.simulateError(SampleError(number: 1))
        #expect(context.lastErrorHandled)
        await context.expectError(SampleError(number: 1), recoveredBy: "ignore")
        await context.finish()
    }

    @Test("Failures go to the reporter of the application, each at its line")
    func reporter() async throws {
        let lines = Lock<[Int]>([])
        let app = TestOrchestrator(
            reporter: FailureReporter { _, location in lines.withLock { $0.append(location.line) } }
        )
        let context = try await app.context(recoveryStrategy: .surface)
        let line = #line
        await context.expectError(.networkTimeout)
        app.lifecycle.expect()
        await context.simulateError(SampleError(number: 1))
        await context.finish()
        #expect(lines.withLock { $0 } == [line + 1, line + 2, line + 4])
    }

    @Test("A finished context is refused, and does not trap")
    func finished() async {
        let texts = await failures {
            let (app, _) = TestOrchestrator.teaShop()
            let teas = try await app.context(TeaContext.self)
            await teas.finish()
            await teas.send(.load)
            await teas.receive(TeaClient.self)
            await teas.simulateAppear()
        }
        let text = "The TeaContext is finished. Finish it after the last assertion."
        #expect(texts == [text, text, text])
    }
}
