// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@Suite("What the compiler refuses about operations", .serialized, .timeLimit(.minutes(10)))
struct CompileFailureTests {
    /// `LINE` uses the result of an operation, which the actor owns.
    private static let source = """
        import AxiomResilience

        final class Basket { var items = 0 }

        actor Till {
            private let basket = Basket()

            func pay(_ strategy: STRATEGY) async throws {
                let result = try await strategy.run { basket }
                LINE
            }
        }
        """

    @Test(
        "A result that the caller's actor owns stays on the actor: it cannot be sent to another task",
        arguments: [
            "CircuitBreaker", "Retry", "Timeout", "Bulkhead", "Fallback<Int>", "Policy", "any ResilienceStrategy",
        ]
    )
    func results(strategy: String) async throws {
        let compiler = try Compiler()
        let source = Self.source.replacing("STRATEGY", with: strategy)
        let allowed = try await compiler.compile(source.replacing("LINE", with: "result.items += 1"))
        #expect(allowed.status == 0, "\(allowed.errors)")
        #expect(allowed.errors.isEmpty, "\(allowed.errors)")
        let forbidden = try await compiler.compile(
            source.replacing("LINE", with: "Task.detached { result.items += 1 }")
        )
        #expect(forbidden.status != 0)
        #expect(forbidden.errors.contains("risks causing data races"), "\(forbidden.errors)")
    }
}
