// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

private protocol Prices: Sendable {
    func price() async throws -> Int
}

private struct PrintedPrices: Prices {
    func price() async throws -> Int { 7 }
}

/// What the servers of a test do.
private final class PriceControl: Sendable {
    let journal = Journal<String>()
    let failures = Lock<[any Error]>([])
    let isDown = Lock(false)
    /// Calls of an instance wait until it is terminated.
    let isHeld = Lock(false)
    /// By the type, because the strategy is static. Suites that use it are serialised.
    static let recovery = Lock(CapabilityRecovery.propagate)
}

private actor PriceServer: Capability, Prices {
    nonisolated let identity: ComponentIdentity
    private let control: PriceControl
    private let end = Gate()

    init(_ scope: borrowing CapabilityScope, _ control: PriceControl) {
        identity = scope.identity
        self.control = control
    }

    func initialize() async throws {
        if control.isDown.withLock({ $0 }) { throw SampleError("no server") }
    }

    func terminate() async { end.open() }

    static func recovery(for error: any Error) -> CapabilityRecovery { PriceControl.recovery.withLock { $0 } }

    func price() async throws -> Int {
        control.journal.write("price")
        if control.isHeld.withLock({ $0 }) {
            await end.wait()
            throw SampleError("terminated")
        }
        if let error = control.failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        return 42
    }
}

@MainActor
@Suite("The recovery that a capability declares", .serialized, .timeLimit(.minutes(10)))
struct CapabilityRecoveryTests {
    private let time = ManualTime()
    private let control = PriceControl()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(clock: .manual(time))
    }

    private func start(
        _ recovery: CapabilityRecovery,
        _ failures: any Error...
    ) async throws
        -> CapabilityRef<any Prices>
    {
        PriceControl.recovery.withLock { $0 = recovery }
        control.failures.withLock { $0 = failures }
        let (control, box) = (control, Box<CapabilityRef<any Prices>>())
        orchestrator.register(PriceServer.self, as: (any Prices).self) { PriceServer($0, control) }
        orchestrator.register(Keeper<any Prices>.self) { try Keeper($0, (any Prices).self) { box.put($0) } }
        try await orchestrator.start()
        return try box.value.orThrow()
    }

    @Test("Propagate: the error is thrown as it is (CAP-18)")
    func propagate() async throws {
        let ref = try await start(.propagate, SampleError("x"))
        await #expect(throws: SampleError("x")) { try await ref.call { try await $0.price() } }
        #expect(control.journal.entries.count == 1)
    }

    @Test("Ignore: a call without a result, or with an optional one, returns nothing; any other throws (CAP-18)")
    func ignore() async throws {
        let ref = try await start(.ignore, SampleError("1"), SampleError("2"), SampleError("3"))
        try await ref.call { _ = try await $0.price() }
        let value = try await ref.call { try await $0.price() as Int? }
        #expect(value == nil)
        await #expect(throws: SampleError("3")) { let _: Int = try await ref.call { try await $0.price() } }
    }

    @Test("Retry: the call is repeated with backoff, up to the number of attempts (CAP-18)")
    func retry() async throws {
        let backoff = Backoff.exponential(base: .seconds(1), multiplier: 2, jitter: .none)
        let ref = try await start(.retry(attempts: 3, backoff: backoff), SampleError("1"), SampleError("2"))
        let call = Task { try await ref.call { try await $0.price() } }
        for seconds in [1, 2] {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(seconds))
        }
        #expect(try await call.value == 42)
        control.failures.withLock { $0 = [SampleError("1"), SampleError("2"), SampleError("3"), SampleError("4")] }
        let second = Task { try await ref.call { try await $0.price() } }
        for seconds in [1, 2] {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(seconds))
        }
        await #expect(throws: SampleError("3")) { try await second.value }
        #expect(control.journal.entries.count == 6)
    }

    @Test("A cancellation ends the wait for a retry, and is itself never retried (CAP-18)")
    func cancelled() async throws {
        let ref = try await start(.retry(attempts: 9, backoff: .constant(.seconds(1))), SampleError("1"))
        let call = Task { try await ref.call { try await $0.price() } }
        await time.waitForSleepers(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        control.failures.withLock { $0 = [CancellationError()] }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ref.call { try await $0.price() }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(control.journal.entries.count == 2)
    }

    @Test("A CancellationError of a capability whose caller nobody cancelled is retried like any other error")
    func ownCancellation() async throws {
        let ref = try await start(.retry(attempts: 9, backoff: .none), CancellationError(), CancellationError())
        _ = try await ref.call { try await $0.price() }
        #expect(control.journal.entries.count == 3)
    }

    @Test("Fallback: a substitute of the registered type answers; one of another type does not (CAP-18)")
    func fallback() async throws {
        let ref = try await start(.fallback(PrintedPrices()), SampleError("1"), SampleError("2"))
        #expect(try await ref.call { try await $0.price() } == 7)
        PriceControl.recovery.withLock { $0 = .fallback("no prices") }
        await #expect(throws: SampleError("2")) { try await ref.call { try await $0.price() } }
    }

    @Test("When available: a call waits until the capability works, and is repeated once (CAP-18)")
    func whenAvailable() async throws {
        let ref = try await start(.whenAvailable(within: .seconds(30)), SampleError("1"))
        #expect(try await ref.call { try await $0.price() } == 42)
        control.failures.withLock { $0 = [SampleError("2"), SampleError("3")] }
        await #expect(throws: SampleError("3")) { try await ref.call { try await $0.price() } }
        try await replace(isDown: true)
        let call = Task { try await ref.call { try await $0.price() } }
        await time.waitForSleepers(1)
        try await replace(isDown: false)
        #expect(try await call.value == 42)
        #expect(control.journal.entries.count == 5)
    }

    @Test("When available: a call ends with its error after the limit, and if it is cancelled (CAP-18)")
    func staysAway() async throws {
        let ref = try await start(.whenAvailable(within: .seconds(30)))
        try await replace(isDown: true)
        let late = Task { try await ref.call { try await $0.price() } }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(30))
        await #expect(throws: CapabilityError.self) { try await late.value }
        let cancelled = Task { try await ref.call { try await $0.price() } }
        await time.waitForSleepers(1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(control.journal.entries.isEmpty)
    }

    @Test("A call in flight ends with the instance that is replaced, and is repeated with the new one (CAP-12, CAP-18)")
    func inFlight() async throws {
        let ref = try await start(.whenAvailable(within: .seconds(30)))
        control.isHeld.withLock { $0 = true }
        let call = Task { try await ref.call { try await $0.price() } }
        await control.journal.wait(for: "price")
        control.isHeld.withLock { $0 = false }
        try await replace(isDown: false)
        #expect(try await call.value == 42)
        #expect(control.journal.entries.count == 2)
    }

    /// Replaces the server. One that is down does not start.
    private func replace(isDown: Bool) async throws {
        control.isDown.withLock { $0 = isDown }
        guard isDown else { return try await orchestrator.capabilityChanged(PriceServer.self, .serviceRestored) }
        await #expect(throws: CapabilityError.self) {
            try await orchestrator.capabilityChanged(PriceServer.self, .serviceLost)
        }
    }

    // MARK: Cached answers

    @Test("The answer is fresh, else cached with its staleness, else empty with the reason (CAP-19)")
    func answers() async throws {
        let ref = try await start(.propagate, SampleError("the server is down"))
        let cache = CapabilityCache<Int>(maximumAge: .seconds(60), clock: .manual(time))
        func answer() async throws -> String {
            switch try await ref.answer(orCached: cache, { try await $0.price() }) {
            case .fresh(let value): "fresh \(value)"
            case .cached(let value, let staleness): "cached \(value) for \(staleness)"
            case .empty(let reason): "empty: \(reason)"
            }
        }
        #expect(try await answer() == "empty: the server is down")
        #expect(try await answer() == "fresh 42")
        time.advance(by: .seconds(10))
        control.failures.withLock { $0 = [SampleError("x"), SampleError("y"), SampleError("z")] }
        #expect(try await answer() == "cached 42 for 10.0 seconds")
        time.advance(by: .seconds(51))
        #expect(try await answer() == "empty: y")
        cache.store(1)
        _ = await cache.relieve(.memory, .critical)
        #expect(try await answer() == "empty: z")
        await orchestrator.shutdown()
        cache.store(5)
        #expect(try await answer() == "cached 5 for 0.0 seconds")
    }
}
