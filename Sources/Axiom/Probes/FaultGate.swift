// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Synchronization

/// Injects faults into one component, for tests of how an application reacts to them.
///
/// Without a fault, a call pays one relaxed load. With one, it takes a lock. A fault ends by itself at its deadline: a
/// call that comes later removes it.
package final class FaultGate: Sendable {
    /// A fault that one gate can inject.
    package enum Fault: Sendable, Hashable {
        /// Each call waits before it runs.
        case latency(Duration)
        /// A share of the calls fails and does not run.
        case errors(ratio: Double)
        /// The capability is not available.
        case absence
    }

    /// What the faults have done.
    package struct Counts: Sendable, Hashable {
        package var delayed: UInt64 = 0
        package var failed: UInt64 = 0
    }

    private struct State {
        var latency: (duration: Duration, until: Instant)?
        var errors: (ratio: Double, until: Instant)?
        var absence: Instant?
        var counts = Counts()
        var random: SeededGenerator
        /// Called when the capability is taken away or brought back.
        var presenceChanged: (@Sendable () -> Void)?

        var isEmpty: Bool { latency == nil && errors == nil && absence == nil }

        mutating func expire(at now: Instant) {
            if let latency, now >= latency.until { self.latency = nil }
            if let errors, now >= errors.until { self.errors = nil }
            if let absence, now >= absence { self.absence = nil }
        }
    }

    /// The gate of components that nothing injects faults into.
    package static let none = FaultGate()

    /// Whether there is a fault. Written under the lock. Relaxed, because it orders nothing else: a call that begins
    /// together with a fault may miss it.
    private let hasFault = Atomic(false)
    /// Guarded by its lock. Observers are called outside of it.
    private let state: Lock<State>

    package init(seed: UInt64 = 0) { state = Lock(State(random: SeededGenerator(seed: seed))) }

    /// Whether there is a fault, which may be past its deadline. Cost: one relaxed load.
    @inline(__always)
    package var isSet: Bool { hasFault.load(ordering: .relaxed) }

    /// What the faults have done since the gate was made.
    package var counts: Counts { state.withLock { $0.counts } }

    // MARK: - Setting faults

    /// Injects a fault until `deadline`. Replaces a fault of the same kind.
    package func inject(_ fault: Fault, until deadline: Instant) {
        update { state in
            switch fault {
            case .latency(let duration): state.latency = (duration, deadline)
            case .errors(let ratio): state.errors = (ratio, deadline)
            case .absence: state.absence = deadline
            }
        }
    }

    /// The kinds of faults. A gate has at most one of each.
    package enum Kind: Sendable, Hashable, CaseIterable {
        case latency, errors, absence
    }

    /// Ends the fault of a kind, if there is one.
    package func end(_ kind: Kind) {
        update { state in
            switch kind {
            case .latency: state.latency = nil
            case .errors: state.errors = nil
            case .absence: state.absence = nil
            }
        }
    }

    /// Removes the faults whose deadline has passed.
    package func expire(at now: Instant) { update { $0.expire(at: now) } }

    /// Calls `observer` on any thread after the capability was taken away or brought back. Replaces an earlier one.
    package func onPresenceChange(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.presenceChanged = observer }
    }

    private func update(_ body: (inout State) -> Void) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            let wasAbsent = state.absence != nil
            body(&state)
            hasFault.store(!state.isEmpty, ordering: .relaxed)
            return (state.absence != nil) == wasAbsent ? nil : state.presenceChanged
        }
        observer?()
    }

    // MARK: - Faults of calls

    /// Applies the faults to one call: waits for the latency, then fails with the ratio of errors. Runs on the caller's
    /// actor and leaves it during the wait.
    ///
    /// - Throws: ``InjectedFault`` if the call is to fail; `CancellationError` as soon as the task is cancelled.
    @inline(never)
    package nonisolated(nonsending) func pass(_ component: ComponentDescriptor, clock: TimeSource) async throws {
        let now = clock.now
        expire(at: now)
        let (latency, fails) = state.withLock { state -> (Duration?, Bool) in
            let fails = state.errors.map { $0.ratio >= 1 || state.random.unit() < $0.ratio } ?? false
            if fails { state.counts.failed += 1 }
            if state.latency != nil { state.counts.delayed += 1 }
            return (state.latency?.duration, fails)
        }
        if let latency {
            do {
                try await clock.sleep(until: now.advanced(by: latency))
            } catch {
                if fails { state.withLock { $0.counts.failed -= 1 } }
                throw error
            }
        }
        if fails { throw InjectedFault(component) }
    }

    /// Whether the capability is taken away at this moment. Cost without a fault: one relaxed load.
    @inline(__always)
    package func isAbsent(_ clock: TimeSource) -> Bool { isSet && checkAbsence(at: clock.now) }

    /// Whether the capability is taken away at `now`. Calls no observer, so the caller may have a lock.
    @inline(__always)
    func isAbsent(at now: Instant) -> Bool {
        isSet && state.withLock { state in state.absence.map { now < $0 } ?? false }
    }

    @inline(never)
    private func checkAbsence(at now: Instant) -> Bool {
        expire(at: now)
        return state.withLock { $0.absence != nil }
    }
}

/// The error of a call that a developer let fail in the dashboard. It ends and counts like any other error.
package struct InjectedFault: AxiomError, Hashable {
    package let message: String
    package let recoverySuggestion = "End the fault on the page of the component, or wait until it ends by itself."

    package init(_ component: ComponentDescriptor) {
        message = "The \(component) failed because an error is injected into it."
    }

    package var code: ErrorCode { .injectedFault }
    package var suggestedAction: ErrorAction { .retry }
}
