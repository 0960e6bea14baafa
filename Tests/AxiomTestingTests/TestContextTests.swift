// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("A context under test", .timeLimit(.minutes(10)))
struct TestContextTests {
    @Test("An action, its states and its end are asserted (TL-T3, TL-T4)")
    func everythingAsserted() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.rename("Best teas")) { $0.title = "Best teas" }
        await teas.send(.load)
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        await teas.send(.add(.black))
        await teas.receive(TeaClient.self) { $0.teas.append(.black) }
        #expect(service.calls == ["teas"])
        await teas.finish()
    }

    @Test("A computed property can be asserted beside the stored one")
    func computedProperty() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.add(.black))
        await teas.receive(TeaClient.self) {
            $0.teas = [.black]
            $0.count = 1
        }
        await teas.finish()
    }

    @Test("The whole state of a client can be asserted")
    func wholeState() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.load)
        await teas.receive(TeaClient.self, state: TeaState(teas: [.green], loads: 1))
        await teas.finish()
    }

    @Test("An action that waits for the time continues when the time moves (TL-T19)")
    func slowAction() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.slowly(.seconds(5))) { $0.title = "…" }
        await app.advance(by: .seconds(4))
        await app.advance(by: .seconds(1))
        await teas.expectChange { $0.title = "Slow teas" }
        await teas.finish()
    }

    @Test("A call that hangs lets the test continue, and ends when it is released (CAP-32)")
    func hangingCapability() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        service.hang()
        await teas.send(.load) { $0.isLoading = true }
        service.release()
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        await teas.expectChange { $0.isLoading = false }
        await teas.finish()
    }

    @Test("An error is asserted by its code or as a value")
    func errors() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.fail)
        await teas.expectError(.networkTimeout)
        service.fail(with: SampleError(number: 7))
        await teas.send(.load)
        await teas.expectError(SampleError(number: 7))
        await teas.finish()
    }

    @Test("The life cycle is recorded in order (TL-T5)")
    func lifecycle() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        app.lifecycle.expect(.willAppear, .didAppear)
        await teas.finish()
        app.lifecycle.expect(.willDisappear, .didDisappear)
        #expect(app.lifecycle.events(of: TeaContext.self).count == 4)
        #expect(app.lifecycle.records.first?.description == "TeaContext willAppear")
    }

    @Test("A presentation is rendered after each change (TL-T4)")
    func presentation() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.present(TeaView.self, ())
        await teas.send(.load)
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        #expect(teas.outputs.last as? String == "Teas: Green")
        await teas.finish()
    }

    @Test("A context sees the values that the test gives the application, then and later")
    func values() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        app.values[BrewingTime.self] = .seconds(120)
        let teas = try await app.context(TeaContext.self)
        #expect(try teas.context.values[BrewingTime.self] == .seconds(120))
        app.values[BrewingTime.self] *= 2
        #expect(try teas.context.values[BrewingTime.self] == .seconds(240))
        await teas.finish()
    }

    @Test("AxiomTestCase runs a scenario with a presentation (TL-T4)")
    func testCase() async throws {
        try await AxiomTestCase.test(presentation: TeaView.self) { app in
            let clock = TimeSource.manual(app.time)
            app.orchestrator.register(TeaClient.self) { try TeaClient($0, clock) }
            app.orchestrator.register(TeaContext.self) { try TeaContext($0, clock) }
            _ = app.client(TeaClient.self, TeaState(teas: [.black]))
        } scenario: { teas in
            let context = try teas.context
            #expect(context.teas == [.black])
            await teas.send(.rename("A")) { $0.title = "A" }
        }
    }

    @Test("1,000 actions on a context leave nothing behind (TL-T13)")
    func thousandActions() async throws {
        let (app, _) = TestOrchestrator.teaShop(.off)
        #expect(app.exhaustivity == .off)
        let teas = try await app.context(TeaContext.self)
        for number in 0..<1_000 { await teas.send(.rename("\(number)")) }
        #expect(try teas.context.title == "999")
        weak let context = try teas.context
        await teas.finish()
        #expect(context == nil)
    }

    @Test("A context that is finished is an error for who reads it, and not the end of the program")
    func readAfterTheEnd() async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        #expect(try teas.context.title == "Teas")
        await teas.finish()
        let error = #expect(throws: TestError.self) { try teas.context }
        #expect(error?.message.contains("TeaContext was read after finish()") == true)
    }
}

private enum BrewingTime: AppValues.Key {
    static let fallback = Duration.seconds(180)
}

struct SampleError: Error, Equatable {
    let number: Int
}
