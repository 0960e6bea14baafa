// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// A capability that runs long computations, with regard to temperature, battery and memory.
///
/// ```swift
/// actor Renderer: ComputationCapability {
///     nonisolated let identity: ComponentIdentity
///     nonisolated let gate = ComputationGate()
///     init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
/// }
///
/// let image = try await renderer.call { renderer in
///     try await renderer.run(under: .wait, progress: { show($0) }) { work in
///         for row in 0..<rows { try await work.checkpoint(Double(row) / Double(rows)) }
///     }
/// }
/// ```
/// The orchestrator passes the pressure that a monitored source reports to the gate.
public protocol ComputationCapability: Capability {
    /// Admits computations. One object for the life of the instance.
    nonisolated var gate: ComputationGate { get }
}

/// What a computation does under critical pressure.
public enum ComputationPolicy: Sendable, Hashable, CaseIterable {
    /// Waits until the pressure has passed. Ends when its task is cancelled, and throws a ``CapabilityError`` with the
    /// code ``ErrorCode/capabilityUnavailable`` when the instance is terminated.
    case wait
    /// Throws a ``CapabilityError`` with the code ``ErrorCode/computationRefused``.
    case refuse
    /// Runs in spite of the pressure.
    case proceed
}

extension ComputationCapability {
    /// Runs `work` on the caller's actor, as soon as the pressure allows it.
    ///
    /// - Parameters:
    ///   - policy: What the computation does under critical pressure.
    ///   - progress: Receives the progress, from 0 to 1, at each checkpoint.
    ///   - work: The computation.
    /// - Throws: `CancellationError` if the task is cancelled before the start or at a checkpoint; ``CapabilityError``
    ///   if the computation was refused; the error of `work`.
    public func run<R>(
        under policy: ComputationPolicy,
        progress: @escaping @Sendable (Double) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation,
        _ work: (ComputationProgress) async throws -> sending R
    ) async throws -> sending R {
        let gate = gate
        gate.name(identity.descriptor.name)
        let steps = ComputationProgress(gate: gate, policy: policy, report: progress)
        try await steps.checkpoint(0)
        let result = try await work(steps)
        progress(1)
        return result
    }
}

/// The progress of one computation.
public struct ComputationProgress: Sendable {
    fileprivate let gate: ComputationGate
    fileprivate let policy: ComputationPolicy
    fileprivate let report: @Sendable (Double) -> Void

    /// Reports the progress, and applies the policy if the pressure is critical now.
    ///
    /// - Parameter fraction: The completed part, limited to 0...1.
    /// - Throws: `CancellationError` if the task is cancelled; ``CapabilityError`` if the computation was refused.
    public func checkpoint(_ fraction: Double) async throws {
        try Task.checkCancellation()
        report(fraction.isNaN ? 0 : min(1, max(0, fraction)))
        try await gate.pass(policy)
    }
}

/// Holds computations back under critical pressure.
public final class ComputationGate: Sendable {
    private struct State {
        var name = "computation"
        var pressures: [SystemResource: PressureLevel] = [:]
        var waiting: [UInt64: OneShot<Bool>] = [:]
        var lastWaiter: UInt64 = 0
        /// Whether the instance was terminated, so that no pressure is reported to it any more.
        var hasEnded = false

        /// The error of a computation that must not begin or wait under the present pressure.
        func refusal(by policy: ComputationPolicy) -> CapabilityError? {
            if policy == .refuse { return .computationRefused(name, pressures) }
            return hasEnded ? .unavailable(name, because: "its instance ended while a computation waited") : nil
        }

        var isClosed: Bool { pressures.values.contains(.critical) }

        mutating func takeWaiting() -> [OneShot<Bool>] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    /// Waiters are settled outside the lock.
    private let state = Lock(State())

    /// Makes an open gate.
    public init() {}

    /// The most severe pressure that was reported.
    package var pressure: PressureLevel {
        state.withLock { $0.pressures.values.max() ?? .none }
    }

    /// Records the pressure of a resource. The orchestrator calls it for each event of a monitored source.
    package func note(_ resource: SystemResource, _ pressure: PressureLevel) {
        let released = state.withLock { state -> [OneShot<Bool>] in
            state.pressures[resource] = pressure
            state.hasEnded = false
            return state.isClosed ? [] : state.takeWaiting()
        }
        for waiter in released { waiter.settle(true) }
    }

    /// Ends the waits of computations, because the instance was terminated.
    func end() {
        let ended = state.withLock { state in
            state.hasEnded = true
            return state.takeWaiting()
        }
        for waiter in ended { waiter.settle(true) }
    }

    fileprivate func name(_ name: String) {
        state.withLock { $0.name = name }
    }

    fileprivate func pass(_ policy: ComputationPolicy) async throws {
        guard policy != .proceed else { return }
        while true {
            let (waiter, refused) = state.withLock { state -> ((UInt64, OneShot<Bool>)?, CapabilityError?) in
                guard state.isClosed else { return (nil, nil) }
                if let refusal = state.refusal(by: policy) { return (nil, refusal) }
                state.lastWaiter += 1
                let waiter = OneShot<Bool>()
                state.waiting[state.lastWaiter] = waiter
                return ((state.lastWaiter, waiter), nil)
            }
            if let refused { throw refused }
            guard let (number, waiter) = waiter else { return }
            guard await waiter.value(ifCancelled: false) else {
                _ = state.withLock { $0.waiting.removeValue(forKey: number) }
                throw CancellationError()
            }
        }
    }
}
