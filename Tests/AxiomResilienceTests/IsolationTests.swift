// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Dispatch
import Testing

/// A result that is not `Sendable`.
private final class Basket {
    var items = 0
}

/// An actor whose jobs run on one dispatch queue, so that a test can see whether code runs on it.
private actor Till {
    private static let key = DispatchSpecificKey<Bool>()

    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "till")

        init() { queue.setSpecific(key: Till.key, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    private let basket = Basket()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether an operation that does not capture the actor, before and after a suspension, and the code after the call
    /// run on the actor.
    func staysHere(in strategy: any ResilienceStrategy) async throws -> [Bool] {
        let basket = basket
        // Returns on another thread, so that the call has to switch back to the actor.
        await elsewhere()
        let isHere = try await strategy.run {
            basket.items += 1
            let before = Till.isCurrent
            await Task.yield()
            basket.items += 1
            return [before, Till.isCurrent]
        }
        return isHere + [Till.isCurrent]
    }

    @concurrent private nonisolated func elsewhere() async {}

    /// Whether each attempt runs on the actor. The last of three succeeds.
    func attempts(of retry: Retry) async throws -> [Bool] {
        var attempts: [Bool] = []
        try await retry.run {
            attempts.append(Till.isCurrent)
            if attempts.count < 3 { throw Failure() }
        }
        return attempts
    }

    /// Whether the operation of a fallback runs on the actor, directly after code that ran elsewhere.
    func served(by fallback: Fallback<Bool>) async throws -> [Bool] {
        await elsewhere()
        let first = try await fallback.run { Till.isCurrent }
        await elsewhere()
        let second = try await fallback.run { Till.isCurrent }
        return [first, second]
    }

    /// Whether a call that waits for a slot runs on the actor.
    func queued(in bulkhead: Bulkhead) async throws -> Bool {
        try await bulkhead.run { Till.isCurrent }
    }

    /// The number of items in the actor's own basket, which an operation returns.
    func items(through strategy: any ResilienceStrategy) async throws -> (items: Int, isSame: Bool) {
        let result = try await strategy.run {
            basket.items += 1
            return basket
        }
        return (result.items, result === basket)
    }
}

/// Whether a job of the main actor runs: its jobs run on the main dispatch queue, on whichever thread.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

@Suite("Operations run on the actor of the caller", .timeLimit(.minutes(10)))
struct IsolationTests {
    /// Every strategy, and the paths through it that differ in their tasks.
    enum Path: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case breaker
        case retry
        case timeout
        case nestedTimeouts
        case bulkhead
        case fallback
        case policy

        var testDescription: String { rawValue }

        func strategy() throws -> any ResilienceStrategy {
            switch self {
            case .breaker: try CircuitBreaker(name: "b")
            case .retry: try Retry("r")
            case .timeout: try Timeout("t", .seconds(3_600))
            case .nestedTimeouts:
                try Policy("p") {
                    try Timeout("outer", .seconds(3_600))
                    try Timeout("inner", .seconds(3_000))
                }
            case .bulkhead: try Bulkhead("b")
            case .fallback: try Fallback("f") { _ in 1 }
            case .policy: try Policy("p") { for path in Self.allCases.dropLast() { try path.strategy() } }
            }
        }
    }

    @Test("A caller on the main actor stays there, through suspensions and child tasks", arguments: Path.allCases)
    @MainActor
    func mainActor(_ path: Path) async throws {
        let strategy = try path.strategy()
        let isOnMain = try await strategy.run {
            let before = MainQueue.isCurrent
            await Task.yield()
            return before && MainQueue.isCurrent
        }
        #expect(isOnMain)
        let isBack = MainQueue.isCurrent
        #expect(isBack)
    }

    @Test(
        "A caller on any other actor stays there, even if the operation does not capture it",
        arguments: Path.allCases
    )
    func otherActor(_ path: Path) async throws {
        let till = Till()
        let isThere = try await till.staysHere(in: path.strategy())
        #expect(isThere == [true, true, true])
    }

    @Test("An operation returns what the caller's actor owns, though it is not Sendable", arguments: Path.allCases)
    func ownedResult(_ path: Path) async throws {
        let (items, isSame) = try await Till().items(through: path.strategy())
        #expect(items == 1 && isSame)
    }

    @Test("Without an actor, an operation uses and returns what the caller's task owns", arguments: Path.allCases)
    func taskOwned(_ path: Path) async throws {
        let basket = Basket()
        let result = try await path.strategy().run {
            basket.items += 1
            await Task.yield()
            basket.items += 1
            return basket
        }
        result.items += 1
        #expect(basket.items == 3 && result === basket)
    }

    @Test("A call that was queued, repeated or answered by a fallback is back on the main actor")
    @MainActor
    func afterWaiting() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let bulkhead = try Bulkhead("b", clock: clock) {
            $0.limit = 1
            $0.queueLimit = 1
            $0.queueTimeout = .seconds(1)
        }
        let gate = Gate()
        let first = Task { try await bulkhead.run { await gate.wait() } }
        await gate.waitForArrivals(1)
        let second = Task { try await bulkhead.run { MainQueue.isCurrent } }
        await time.waitForSleepers(1)
        gate.open()
        try await first.value
        #expect(try await second.value)

        let retry = try Retry("r") { $0.backoff = .none }
        var attempts: [Bool] = []
        let result = try await retry.run {
            attempts.append(MainQueue.isCurrent)
            if attempts.count < 3 { throw Failure() }
            return Basket()
        }
        #expect(attempts == [true, true, true] && result.items == 0)

        let fallback = try Fallback("f") { _ in "substitute" }
        let value: String = try await fallback.run { throw Failure() }
        let isOnMain = MainQueue.isCurrent
        #expect(value == "substitute" && isOnMain)
    }

    @Test("Attempts after a wait, and a call that was queued, are back on any other actor")
    func afterWaitingElsewhere() async throws {
        let till = Till()
        let fallback = try Fallback("f") { _ in false }
        #expect(try await till.served(by: fallback) == [true, true])
        let retry = try Retry("r") { $0.backoff = .constant(.microseconds(1)) }
        #expect(try await till.attempts(of: retry) == [true, true, true])
        let bulkhead = try Bulkhead("b") {
            $0.limit = 1
            $0.queueLimit = 1
        }
        let gate = Gate()
        let first = Task { try await bulkhead.run { await gate.wait() } }
        await gate.waitForArrivals(1)
        let second = Task { try await till.queued(in: bulkhead) }
        while bulkhead.counts.queueDepth == 0 { await Task.yield() }
        gate.open()
        try await first.value
        #expect(try await second.value)
    }

    @Test("The operation of an expired timeout is cancelled and awaited on the caller's actor")
    @MainActor
    func expired() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        let basket = Basket()
        let driver = Task.detached {
            await time.waitForSleepers(2)
            time.advance(by: .seconds(1))
        }
        await #expect(throws: TimeoutError.self) {
            try await timeout.run {
                try? await clock.sleep(for: .seconds(5))
                // After the cancellation, still on the main actor and still before `run` returns.
                basket.items = Task.isCancelled && MainQueue.isCurrent ? 1 : -1
            }
        }
        await driver.value
        #expect(basket.items == 1)
    }
}
