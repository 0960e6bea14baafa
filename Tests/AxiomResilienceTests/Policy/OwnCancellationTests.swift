// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomResilience

/// Operations that end with a `CancellationError` although nobody cancelled their caller.
@Suite("Cancellations of which the caller knows nothing", .timeLimit(.minutes(10)))
struct OwnCancellationTests {
    /// Awaits a task that something else has cancelled, as a shared download or a closed session does.
    @Sendable private static func session() async throws -> Int {
        let inner = Task {
            try Task.checkCancellation()
            return 1
        }
        inner.cancel()
        _ = await inner.result
        throw CancellationError()
    }

    @Test("A retry repeats them, a breaker opens because of them, and a fallback replaces them")
    func areFailures() async throws {
        let probe = Probe()
        let retry = try Retry("r") { $0.backoff = .none }
        let value = try await retry.run {
            try await probe.track { call in call < 3 ? try await Self.session() : call }
        }
        #expect(value == 3 && retry.counts[.successRetried] == 1)

        let breaker = try CircuitBreaker(name: "b", CircuitBreakerConfiguration(consecutiveFailures: 20))
        for _ in 0..<20 { _ = try? await breaker.run { try await Self.session() } }
        await #expect(throws: CircuitOpenError.self) { try await breaker.run { 1 } }

        let fallback = try Fallback("f") { _ in 7 }
        #expect(try await fallback.run { try await Self.session() } == 7)
        #expect(fallback.counts.cancelled == 0 && fallback.counts.substitute == 1)
    }

    @Test("In every order of the strategies: a cancelled caller is not served, all others are")
    func orders() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<TestScale.count(2_000) {
            let isCancelled = Bool.random(using: &generator)
            let kinds = (0..<4).shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator))
            let strategies: [any ResilienceStrategy] = try kinds.map { kind in
                switch kind {
                case 0: try Retry("r") { $0.backoff = .none }
                case 1: try Timeout("t", .seconds(3_600))
                case 2: try Fallback("f") { _ in 7 }
                default: try CircuitBreaker(name: "b")
                }
            }
            let policy = try Policy("p") { strategies }
            let probe = Probe()
            let call = Task {
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                return try await policy.run { () -> Int in try await probe.track { _ in throw CancellationError() } }
            }
            let result = await call.result
            let story: Comment = "seed \(seed): \(Array(kinds)), cancelled: \(isCancelled)"
            if !isCancelled, kinds.contains(2) {
                #expect((try? result.get()) == 7, story)
            } else {
                #expect(throws: CancellationError.self, story) { try result.get() }
            }
            // A fallback within the retry ends its call at the first attempt.
            let isServedWithin = kinds.firstIndex(of: 2) ?? -1 > kinds.firstIndex(of: 0) ?? .max
            #expect(probe.calls == (isCancelled || !kinds.contains(0) || isServedWithin ? 1 : 3), story)
        }
    }

    @Test("A call that the framework ended on purpose is recognised when it is thrown on, and a new error is not")
    func onPurpose() async throws {
        let rethrown = await Task { throw Cancellation.onPurpose }.result
        guard case .failure(let error) = rethrown else { return }
        #expect(Cancellation.isIntended(error))
        #expect(!Cancellation.isIntended(CancellationError()) && !Cancellation.isIntended(Failure()))
    }
}
