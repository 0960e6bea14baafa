// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@Suite("What a module outside the package can use", .serialized, .timeLimit(.minutes(10)))
struct PublicInterfaceTests {
    @Test("A check of the composition reads the errors, and a boundary its counts")
    func diagnosis() async throws {
        try await expectCompiles(
            """
            import Axiom

            func errors(_ report: CompositionReport) -> [any Error] {
                report.unchecked.compactMap(\\.error)
            }

            @MainActor func counts(_ boundary: ErrorBoundary) -> [Int] {
                [boundary.recoveredCount, boundary.historyDropped, boundary.notificationsDropped]
            }
            """
        )
    }

    @Test("A resilience strategy throws a TimeoutError")
    func timeoutError() async throws {
        try await expectCompiles(
            """
            import AxiomResilience

            func expire() throws {
                throw TimeoutError(policy: "own", limit: .seconds(1))
            }
            """
        )
    }

    private func expectCompiles(_ program: String) async throws {
        let result = try await Compiler().compile(program)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty, "\(result.errors)")
    }
}
