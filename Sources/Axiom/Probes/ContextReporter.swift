// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Passes actions of one context type through its circuit breakers, and reports them to its probe. Bound once for each
/// type.
final class ContextReporter: Sendable {
    let probe: any ContextProbe
    private let gate: BreakerGate

    init(_ probe: any ContextProbe) {
        self.probe = probe
        gate = BreakerGate(probe.breakers)
    }

    /// Runs `body` if the breakers admit it. Without a breaker the clock is not read.
    ///
    /// - Throws: The error of `body`; `CircuitError` if a breaker refuses it, in which case `body` did not run.
    @MainActor
    func guarded(
        _ clock: TimeSource,
        isRefused: inout Bool,
        _ body: () async throws -> Void
    ) async throws {
        if gate.isEmpty { return try await body() }
        let permits: BreakerPermits
        do {
            permits = try gate.admit(at: clock.now)
        } catch {
            isRefused = true
            throw error
        }
        do {
            try await body()
        } catch {
            gate.settle(permits, error, at: clock.now)
            throw error
        }
        gate.settle(permits, nil, at: clock.now)
    }

    func actionEnded<A: Action>(_ action: A, _ outcome: ActionOutcome, since start: Instant, _ clock: TimeSource) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        probe.actionEnded(caseIndex: action.caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    func phaseEnded(_ phase: LifecyclePhase, since start: Instant, _ clock: TimeSource) {
        probe.phaseEnded(phase, nanoseconds: clock.now.nanoseconds(since: start))
    }

    func operationEnded(_ operation: ComponentOperation, since start: Instant, _ clock: TimeSource) {
        probe.operationEnded(operation, nanoseconds: clock.now.nanoseconds(since: start))
    }
}
