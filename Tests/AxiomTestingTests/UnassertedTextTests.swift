// SPDX-License-Identifier: Apache-2.0

import AxiomTesting
import Testing

@MainActor
@Suite("The texts of what a test leaves out", .timeLimit(.minutes(10)))
struct UnassertedTextTests {
    @Test("A state that changes a property that the test does not assert")
    func state() async {
        let texts = await failures {
            let (app, _) = TestOrchestrator.teaShop()
            let teas = try await app.context(TeaContext.self)
            await teas.send(.load)
            await teas.receive(TeaClient.self)
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The state of TeaClient changed what the test does not assert:

                -   teas: []
                +   teas: [Tea(id: 1, name: "Green")]

                (Expected: −, Actual: +)
                """
            ]
        )
    }

    @Test("Several tasks that still sleep are counted")
    func sleepers() async {
        let texts = await failures {
            let (app, _) = TestOrchestrator.teaShop()
            let teas = try await app.context(TeaContext.self)
            await teas.send(.remind)
            await teas.send(.remind)
            await teas.finish()
        }
        #expect(
            texts == ["At the end of the test, 2 tasks sleep on the manual time, the first for 60.0 seconds."]
        )
    }
}
