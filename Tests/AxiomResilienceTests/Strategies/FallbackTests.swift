// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@Suite("Fallback")
struct FallbackTests {
    private let time = ManualTime()

    /// A value that runs user code when it is released.
    private final class Remembered: Sendable {
        let released: @Sendable () -> Void
        init(_ released: @escaping @Sendable () -> Void) { self.released = released }
        deinit { released() }
    }

    private final class Holder: Sendable {
        let fallback = Lock<Fallback<Remembered>?>(nil)
    }

    @Test(
        "A remembered value may use the fallback when it is released",
        .timeLimit(.minutes(10))
    )
    func releaseOutsideLock() async throws {
        let holder = Holder()
        let seen = Lock<[Int]>([])
        let fallback = try Fallback("f", remembering: Remembered.self, for: .seconds(1), clock: .manual(time))
        holder.fallback.withLock { $0 = fallback }
        for _ in 0..<3 {
            _ = try await fallback.serve {
                Remembered { seen.withLock { $0.append(holder.fallback.withLock { $0 }?.counts.fresh ?? -1) } }
            }
        }
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test(
        "A remembered value is served up to and including the maximum age, with its age",
        arguments: [999, 1_000, 1_001]
    )
    func staleness(_ nanoseconds: Int) async throws {
        let fallback = try Fallback("f", remembering: Int.self, for: .nanoseconds(1_000), clock: .manual(time))
        let fresh = try await fallback.serve { 7 }
        #expect(fresh.value == 7 && fresh.source == .fresh && fresh.error == nil)
        time.advance(by: .nanoseconds(nanoseconds))
        if nanoseconds <= 1_000 {
            let served = try await fallback.serve { throw Failure(number: 1) }
            #expect(served.value == 7 && served.source == .remembered(age: .nanoseconds(nanoseconds)))
            #expect(served.error as? Failure == Failure(number: 1))
            #expect(fallback.counts.remembered == 1 && fallback.counts.fresh == 1)
        } else {
            await #expect(throws: Failure(number: 1)) { try await fallback.serve { throw Failure(number: 1) } }
            #expect(fallback.counts.failed == 1)
        }
    }

    @Test("The last success is remembered, and serving a value does not renew it")
    func lastSuccess() async throws {
        let fallback = try Fallback("f", remembering: Int.self, for: .seconds(10), clock: .manual(time))
        for value in [1, 2] { _ = try await fallback.run { value } }
        for age in [4, 8] {
            time.advance(by: .seconds(4))
            let served = try await fallback.serve { throw Failure() }
            #expect(served.value == 2 && served.source == .remembered(age: .seconds(age)))
        }
        time.advance(by: .seconds(4))
        await #expect(throws: Failure.self) { try await fallback.serve { throw Failure() } }
    }

    @Test("Without a remembered value, the substitute supplies one, and the call rethrows its error")
    func substitute() async throws {
        let fallback = try Fallback("f", remembering: .seconds(1), clock: .manual(time)) { error in
            guard let failure = error as? Failure, failure.number > 0 else { throw Failure(number: -1) }
            return failure.number
        }
        #expect(try await fallback.run { throw Failure(number: 5) } == 5)
        await #expect(throws: Failure(number: -1)) { try await fallback.serve { throw Failure(number: 0) } }
        #expect(fallback.counts.substitute == 1 && fallback.counts.failed == 1 && fallback.counts.served == 1)
    }

    @Test("Errors to which it does not apply, and cancellations, pass through")
    func passes() async throws {
        let fallback = try Fallback("f", applies: { ($0 as? Failure)?.number == 1 }, substitute: { _ in "answer" })
        #expect(try await fallback.run { throw Failure(number: 1) } == "answer")
        await #expect(throws: Failure(number: 2)) { try await fallback.serve { throw Failure(number: 2) } }
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

    @Test("The result of a call of another type is not remembered, even if it is convertible")
    func foreignValue() async throws {
        let fallback = try Fallback("f", remembering: Int?.self, for: .seconds(10), clock: .manual(time))
        let foreign: Int = try await fallback.run { 7 }
        #expect(foreign == 7)
        await #expect(throws: Failure.self) { try await fallback.run { () -> Int? in throw Failure() } }
        _ = try await fallback.run { () -> Int? in 8 }
        #expect(try await fallback.run { () -> Int? in throw Failure() } == 8)
    }

    @Test("A failed call of another type is counted, and gets no value")
    func otherType() async throws {
        let fallback = try Fallback("f") { _ in "answer" }
        await #expect(throws: Failure.self) { try await fallback.run { () -> Int in throw Failure() } }
        #expect(fallback.counts.otherType == 1)
    }

    @Test("The observer receives every supplied value, and no fresh one")
    func observer() async throws {
        let seen = Lock<[(Int, Served<Int>.Source)]>([])
        let fallback = try Fallback(
            "f",
            remembering: .seconds(1),
            clock: .manual(time),
            observer: { served in seen.withLock { $0.append((served.value, served.source)) } },
            substitute: { _ in 0 }
        )
        _ = try await fallback.run { () -> Int in throw Failure() }
        _ = try await fallback.run { 1 }
        _ = try await fallback.run { () -> Int in throw Failure() }
        #expect(seen.withLock { $0.map(\.0) } == [0, 1])
        #expect(seen.withLock { $0.map(\.1) } == [.substitute, .remembered(age: .zero)])
    }

    @Test("A negative age and an empty name are refused")
    func invalid() {
        #expect(throws: ResilienceError.self) { try Fallback("f", remembering: Int.self, for: .seconds(-1)) }
        #expect(throws: ResilienceError.self) { try Fallback("") { _ in 1 } }
    }
}
