// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Testing

@testable import AxiomTesting

@MainActor
@Suite("The texts of failures", .timeLimit(.minutes(10)))
struct FailureTextTests {
    /// The failures of a scenario with the context of the shop.
    private func texts(
        _ exhaustivity: Exhaustivity = .on,
        _ scenario: @MainActor (TestContext<TeaContext>, TestOrchestrator, Simulation) async throws -> Void
    ) async -> [String] {
        await failures {
            let (app, service) = TestOrchestrator.teaShop(exhaustivity)
            try await scenario(try await app.context(TeaContext.self), app, service)
        }
    }

    @Test("An action that changes a property in another way")
    func wrongChange() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.rename("Green teas")) { $0.title = "Black teas" }
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The action rename("Green teas") did not change TeaContext as expected:

                -   title: "Black teas"
                +   title: "Green teas"

                (Expected: −, Actual: +)
                """
            ]
        )
    }

    @Test("An action that changes a property that the test does not assert")
    func unassertedChange() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.rename("Green teas"))
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The action rename("Green teas") changed what the test does not assert:

                -   title: "Teas"
                +   title: "Green teas"

                (Expected: −, Actual: +)
                """
            ]
        )
    }

    @Test("A state with another element in a collection")
    func wrongState() async {
        let texts = await texts { teas, app, _ in
            await teas.send(.load)
            await teas.receive(TeaClient.self) { $0.teas = [.green, .black] }
            await teas.send(.add(Tea(id: 2, name: "Red")))
            await teas.receive(TeaClient.self, state: TeaState(teas: [.green, .black], loads: 1))
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The state of TeaClient did not change TeaContext as expected:

                    teas: [
                      … 1 unchanged
                -     Tea(id: 2, name: "Black"),
                    ]

                (Expected: −, Actual: +)
                """,
                """
                The state of TeaClient is not as expected:

                    TeaState(
                      teas: [
                        … 1 unchanged
                        Tea(
                          … 1 unchanged
                -         name: "Black",
                +         name: "Red",
                        ),
                      ],
                      … 1 unchanged
                    )

                (Expected: −, Actual: +)
                """,
            ]
        )
    }

    @Test("A state that the test does not receive")
    func unreceivedState() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.load)
            await teas.send(.rename("A")) { $0.title = "A" }
            await teas.send(.add(.black))
            await teas.finish()
        }
        #expect(
            texts == [
                """
                A TeaState arrived at the TeaContext, and the test sends rename("A") without having received it:

                -   teas: []
                +   teas: [Tea(id: 1, name: "Green")]

                (Expected: −, Actual: +)
                """,
                """
                A TeaState arrived at the TeaContext, and the test ends without having received it:

                    teas: [
                      … 1 unchanged
                +     Tea(id: 2, name: "Black"),
                    ]

                (Expected: −, Actual: +)
                """,
            ]
        )
    }

    @Test("A state that never arrives")
    func missingState() async {
        let texts = await texts { teas, _, service in
            await teas.receive(TeaClient.self)
            service.hang()
            await teas.send(.load) { $0.isLoading = true }
            await teas.receive(TeaClient.self)
            service.release()
            teas.skip()
            await teas.receive(TeaClient.self) { $0.teas = [.green] }
            await teas.expectChange { $0.isLoading = false }
            await teas.finish()
        }
        #expect(
            texts == [
                "No state of TeaClient arrived at the TeaContext.",
                "No state of TeaClient arrived at the TeaContext. These wait: the action load.",
            ]
        )
    }

    @Test("Errors that the test does not expect, or expects in vain")
    func errors() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.fail)
            await teas.expectError(.noConnection)
            await teas.expectError(.networkTimeout)
            await teas.send(.fail)
            await teas.expectError(.networkTimeout, recoveredBy: "retry")
            await teas.send(.fail)
            await teas.finish()
        }
        let error = "\(NetworkError.timeout("GET /teas", after: .seconds(3)))"
        #expect(
            texts == [
                "Expected an error with the code \(ErrorCode.noConnection.rawValue), not recovered, but \(error) ended there.",
                "Expected an error with the code \(ErrorCode.networkTimeout.rawValue) at the TeaContext, but none was settled.",
                "Expected an error with the code \(ErrorCode.networkTimeout.rawValue), recovered by retry, but \(error) ended there.",
                "The test does not expect an error at the TeaContext: \(error) ended there.",
            ]
        )
    }

    @Test("An action that still runs, and a task that still sleeps")
    func leftBehind() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.remind)
            await teas.send(.slowly(.seconds(5))) { $0.title = "…" }
            await teas.finish()
        }
        #expect(
            texts == [
                "At the end of the test, the action slowly(5.0 seconds) waits for the time or a simulated capability.",
                "At the end of the test, 1 task sleeps on the manual time, the first for 60.0 seconds.",
            ]
        )
    }

    @Test("What continues after the time moved, asserted in vain or not at all")
    func continuation() async {
        let texts = await texts { teas, app, _ in
            await teas.send(.slowly(.seconds(5))) { $0.title = "…" }
            await app.advance(by: .seconds(5))
            await teas.expectChange { $0.title = "Fast teas" }
            await teas.send(.slowly(.seconds(5))) { $0.title = "…" }
            await app.advance(by: .seconds(5))
            await teas.finish()
        }
        #expect(
            texts == [
                """
                What continued did not change TeaContext as expected:

                -   title: "Fast teas"
                +   title: "Slow teas"

                (Expected: −, Actual: +)
                """,
                """
                TeaContext changed, and the test ends without having asserted it:

                -   title: "…"
                +   title: "Slow teas"

                (Expected: −, Actual: +)
                """,
            ]
        )
    }

    @Test("A context whose end waits")
    func waitingEnd() async {
        let texts = await texts { teas, app, _ in
            await teas.send(.rename("Closing")) { $0.title = "Closing" }
            await teas.finish()
            await app.advance(by: .seconds(1))
        }
        #expect(texts.first == "The end of TeaContext waits for the time or a simulated capability.")
    }

    @Test("An application that waits for something outside of the test is reported with what is under way")
    func impatient() async {
        let texts = await texts { teas, app, _ in
            app.patience = .milliseconds(20)
            let delivery = Delivery()
            await teas.send(.outside(until: delivery))
            delivery.arrival.finish()
            app.patience = .seconds(20)
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The application was not quiet within 0.02 seconds of real time:
                the action outside(until: delivery) is under way.
                TeaContext: operations under way: 1, observations with states to apply: 0.
                Does it wait for a real clock, or for something outside of the test?
                """
            ]
        )
    }

    @Test("Errors at the orchestrator that the test expects in vain")
    func orchestratorErrors() async {
        let texts = await failures {
            let (app, _) = TestOrchestrator.teaShop()
            try await app.start()
            await app.expectError(.notRegistered)
            app.orchestrator.register(IdleClient.self) { IdleClient($0) }
            await app.expectError(.networkTimeout)
            await app.finish()
        }
        #expect(texts.count == 2)
        let head = "Expected an error with the code"
        #expect(texts.first == "\(head) \(ErrorCode.notRegistered.rawValue) at the orchestrator, but none ended there.")
        #expect(texts.last?.hasPrefix("\(head) \(ErrorCode.networkTimeout.rawValue) at the orchestrator, but ") == true)
    }

    @Test("A context that stays alive")
    func liveContext() async {
        let texts = await texts { teas, _, _ in
            await teas.send(.leak)
            await teas.finish()
        }
        TeaContext.forgetAll()
        #expect(texts == ["The context TeaContext is alive after its end. Something retains it."])
    }

    @Test("A test that does not finish its context")
    func unfinished() async {
        let texts = await texts { teas, _, _ in await teas.send(.rename("A")) { $0.title = "A" } }
        #expect(texts == ["The test ended without `await finish()` of the TeaContext."])
    }

    @Test("A function of a capability that the test does not implement is named")
    func unimplemented() async {
        let texts = await texts { teas, _, service in
            service.reset()
            await teas.send(.load)
            await teas.expectError(.capabilityUnavailable)
            await teas.finish()
        }
        #expect(
            texts == [
                "Unimplemented: FakeTeaService.teas was called, and the test gives no answer. Add on(\"teas\") { … }."
            ]
        )
    }

    @Test("An answer of another type is named with both types")
    func wrongAnswer() async {
        let texts = await texts { teas, _, service in
            service.on("teas", answer: 7)
            await teas.send(.load)
            await teas.expectError(.capabilityUnavailable)
            await teas.finish()
        }
        let remedy = "Add an answer of the type Array<Tea>, not Int."
        #expect(
            texts == ["Unimplemented: FakeTeaService.teas was called, and the test gives no answer. \(remedy)"]
        )
    }

    @Test("A shutdown that waits")
    func waitingShutdown() async {
        let texts = await failures {
            let app = TestOrchestrator()
            let clock = app.clock
            app.orchestrator.register(LingeringClient.self) { LingeringClient($0, clock) }
            try await app.start()
            await app.finish()
            await app.advance(by: .seconds(1))
        }
        #expect(texts == ["The shutdown waits for the time or a simulated capability."])
    }

    @Test("What is not registered is named at the start")
    func notRegistered() async {
        let texts = await failures {
            let app = TestOrchestrator()
            let clock = TimeSource.manual(app.time)
            app.orchestrator.register(TeaClient.self) { try TeaClient($0, clock) }
            try await app.start()
            await app.finish()
        }
        #expect(texts.count == 1)
        #expect(
            texts.first?.hasPrefix("The test does not expect an error at the orchestrator during the start:") == true
        )
        let problem = "The client TeaClient requires the capability TeaService, which is not registered."
        #expect(texts.first?.contains(problem) == true)
    }

    @Test("The life cycle, the actions of a double and a value")
    func otherTexts() async {
        let texts = await failures {
            let app = TestOrchestrator()
            app.lifecycle.expect(.willAppear)
            let client = TestClient<TeaState, NumberAction>(TeaState())
            try await client.process(.one)
            client.expectActions([.two])
            expectEqual(["a": 1, "b": 2, "c": 3], ["a": 1, "b": 3, "d": 4])
        }
        #expect(
            texts == [
                """
                The contexts had other life cycle events than expected:

                -   [.willAppear]
                +   []

                (Expected: −, Actual: +)
                """,
                """
                The client got other actions than expected:

                    [
                -     .two,
                +     .one,
                    ]

                (Expected: −, Actual: +)
                """,
                """
                The Dictionary<String, Int> is not as expected:

                    [
                      … 1 unchanged
                -     "b": 3,
                +     "b": 2,
                +     "c": 3,
                -     "d": 4,
                    ]

                (Expected: −, Actual: +)
                """,
            ]
        )
    }

    @Test("A test that is not exhaustive compares only what it asserts")
    func notExhaustive() async {
        let texts = await texts(.off) { teas, _, _ in
            await teas.send(.load)
            await teas.send(.fail)
            await teas.send(.rename("A")) { $0.title = "B" }
        }
        #expect(texts.count == 1)
    }

    @Test("A test that shows what it skips prints it with its place, and does not fail")
    func skipped() {
        let lines = Lock<[String]>([])
        let failed = Lock<[String]>([])
        let reporter = FailureReporter { text, _ in failed.withLock { $0.append(text) } }
        for exhaustivity in [Exhaustivity.off, .off(showSkipped: true), .on] {
            let recorder = FailureRecorder(exhaustivity: exhaustivity, reporter: reporter) { line in
                lines.withLock { $0.append(line) }
            }
            recorder.unasserted("One more \(exhaustivity).", at: #_sourceLocation)
        }
        let place = "Skipped at AxiomTestingTests/FailureTextTests.swift:\(#line - 2):"
        #expect(lines.withLock { $0 } == ["\(place) One more off(showSkipped: true)."])
        #expect(failed.withLock { $0 } == ["One more on."])
    }
}

/// Needs a second to end.
private actor LingeringClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TeaState>
    private let clock: TimeSource

    init(_ scope: borrowing ClientScope, _ clock: TimeSource) {
        (identity, self.clock) = (scope.identity, clock)
        store = scope.store(TeaState())
    }

    var state: TeaState { store.state }
    nonisolated var stateStream: StateStream<TeaState> { store.stream }
    func process(_ action: NumberAction) async throws {}
    func deactivate() async { try? await clock.sleep(for: .seconds(1)) }
}

enum NumberAction: Action {
    case one
    case two
}

private actor IdleClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: NoAction) async throws {}
}
