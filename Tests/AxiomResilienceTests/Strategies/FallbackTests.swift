// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Testing

@Suite("Fallback")
struct FallbackTests {
    @Test("The substitute supplies a value for a failure, and the call rethrows its error")
    func substitute() async throws {
        let fallback = try Fallback("f") { error in
            guard let failure = error as? Failure, failure.number > 0 else { throw Failure(number: -1) }
            return failure.number
        }
        #expect(try await fallback.run { 7 } == 7)
        #expect(try await fallback.run { throw Failure(number: 5) } == 5)
        await #expect(throws: Failure(number: -1)) { try await fallback.run { () -> Int in throw Failure(number: 0) } }
        #expect(fallback.counts.fresh == 1 && fallback.counts.substitute == 1 && fallback.counts.failed == 1)
    }

    @Test("Errors to which it does not apply, and cancellations, pass through")
    func passes() async throws {
        let fallback = try Fallback("f", applies: { ($0 as? Failure)?.number == 1 }, substitute: { _ in "answer" })
        #expect(try await fallback.run { throw Failure(number: 1) } == "answer")
        await #expect(throws: Failure(number: 2)) {
            try await fallback.run { () -> String in throw Failure(number: 2) }
        }
        func cancelled(_ error: any Error) -> Task<String, any Error> {
            Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fallback.run { () -> String in throw error }
            }
        }
        await #expect(throws: Failure(number: 1)) { try await cancelled(Failure(number: 1)).value }
        await #expect(throws: CancellationError.self) { try await cancelled(CancellationError()).value }
        #expect(fallback.counts.failed == 1 && fallback.counts.cancelled == 2)
    }

    @Test("A failed call of another type is counted and gets no value, even if the value is convertible")
    func otherType() async throws {
        let fallback = try Fallback("f") { _ in "answer" }
        await #expect(throws: Failure.self) { try await fallback.run { () -> Int in throw Failure() } }
        await #expect(throws: Failure.self) { try await fallback.run { () -> String? in throw Failure() } }
        #expect(fallback.counts.otherType == 2)
    }

    @Test("An empty name is refused")
    func invalid() {
        #expect(throws: ResilienceError.self) { try Fallback("") { _ in 1 } }
    }
}
