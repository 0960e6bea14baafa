// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Dispatch

/// Passes violations of budgets to the application's handler: one after the other, in the order in which they came, off
/// the thread that runs the action.
///
/// The handler may block. One that writes to standard error does so while the pipe behind it is full. It then blocks a
/// thread of this queue alone: no action, no actor and no task waits for it. What does not fit into the queue is dropped
/// and counted.
final class ViolationDelivery: Sendable {
    private struct State {
        var waiting: [BudgetViolation] = []
        /// Whether the queue is at work. It stops when nothing waits.
        var isDelivering = false
        /// The tasks that wait for the queue to be empty, by the order in which they came.
        var idle: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    /// How many violations may wait: a budget and a component send one a minute at most.
    static let capacity = 100

    private let handler: @Sendable (BudgetViolation) -> Void
    private let full: Counter
    /// Not the pool of threads that tasks share: a handler that blocks would take one of as few as there are cores.
    private let queue = DispatchQueue(label: "axiom.budget-violations", qos: .utility)
    /// Guarded by its lock; the handler is called and continuations are resumed outside of it.
    private let state = Lock(State())

    /// - Parameter full: Counts the violations that found no place.
    init(to handler: @escaping @Sendable (BudgetViolation) -> Void, full: Counter) {
        self.handler = handler
        self.full = full
    }

    /// Queues a violation. Cost: a lock, and a block of Dispatch when nothing is queued; a budget and a component send one
    /// a minute at most.
    func send(_ violation: BudgetViolation) {
        let (isAccepted, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < Self.capacity else { return (false, false) }
            state.waiting.append(violation)
            defer { state.isDelivering = true }
            return (true, !state.isDelivering)
        }
        if !isAccepted { full.increment() }
        if isFirst { queue.async { self.deliver() } }
    }

    /// Waits until the handler has returned from the last violation, or until the task is cancelled.
    func drained() async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // A cancellation that came before found no continuation to resume, and is seen here.
                    guard state.isDelivering, !Task.isCancelled else { return false }
                    state.idle[waiter] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.idle.removeValue(forKey: waiter) }?.resume()
        }
    }

    private func deliver() {
        while let violation = next() { handler(violation) }
    }

    /// The next violation; nil when none waits, and then the work of the queue ends.
    private func next() -> BudgetViolation? {
        let (violation, idle) = state.withLock {
            state -> (BudgetViolation?, [UInt64: CheckedContinuation<Void, Never>]) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), [:]) }
            state.isDelivering = false
            defer { state.idle = [:] }
            return (nil, state.idle)
        }
        for continuation in idle.values { continuation.resume() }
        return violation
    }
}
