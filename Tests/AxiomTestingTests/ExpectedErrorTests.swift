// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTesting
import Testing

private struct Spill: Error {}

@MainActor
@Suite("Errors that a test expects, whether it is exhaustive or not", .timeLimit(.minutes(10)))
struct ExpectedErrorTests {
    private nonisolated static let modes: [Exhaustivity] = [.on, .off]

    @Test("An action without an error fulfils the expectation of none, also after one that failed", arguments: modes)
    func none(mode: Exhaustivity) async throws {
        let (app, _) = TestOrchestrator.teaShop(mode)
        let teas = try await app.context(TeaContext.self)
        await teas.send(.fail)
        await teas.expectError(.networkTimeout)
        await teas.expectNoError()
        await teas.send(.rename("Best teas")) { $0.title = "Best teas" }
        await teas.expectNoError()
        await teas.finish()
    }

    @Test("An error where none is expected is a failure, once", arguments: modes)
    func unexpected(mode: Exhaustivity) async {
        let texts = await failures {
            let (app, service) = TestOrchestrator.teaShop(mode)
            let teas = try await app.context(TeaContext.self)
            service.fail(with: Spill())
            await teas.send(.load)
            await teas.expectNoError()
            await teas.expectNoError()
            await teas.finish()
        }
        #expect(texts == ["Expected no error at the TeaContext, but Spill() ended there."])
    }

    @Test("A recovered error is none, and an error that was passed on is one")
    func resolutions() async {
        let texts = await failures {
            for strategy in [RecoveryStrategy.ignore, .propagate] {
                let app = TestOrchestrator(exhaustivity: .off)
                let context = try await app.context(recoveryStrategy: strategy)
                await context.simulateError(Spill())
                await context.expectNoError()
                await context.finish()
            }
        }
        #expect(texts == ["Expected no error at the RecoveryContext, but Spill() was passed on."])
    }

    @Test("An error without a code is expected by its type, or by that of all errors")
    func types() async {
        let texts = await failures {
            let (app, service) = TestOrchestrator.teaShop(.off)
            let teas = try await app.context(TeaContext.self)
            for _ in 1...3 { service.fail(with: Spill()) }
            await teas.send(.load)
            await teas.expectError(Spill.self)
            await teas.send(.load)
            await teas.expectError((any Error).self)
            await teas.send(.load)
            await teas.expectError(NetworkError.self)
            await teas.expectError(Spill.self)
            await teas.finish()
        }
        #expect(
            texts == [
                "Expected an error with the type NetworkError, not recovered, but Spill() ended there.",
                "Expected an error with the type Spill at the TeaContext, but none was settled.",
            ]
        )
    }
}
