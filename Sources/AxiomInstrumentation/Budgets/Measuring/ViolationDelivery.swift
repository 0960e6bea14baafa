// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Dispatch

/// Passes budget violations to the application's handler: one after the other, in the order of their arrival, off the
/// thread that runs the action.
///
/// The handler may block, as one that writes to standard error does while the pipe behind it is full. It then blocks
/// only a thread of this queue: no action, actor or task waits for it. Violations that do not fit into the queue are
/// dropped and counted.
final class ViolationDelivery: Sendable {
    private struct State {
        var waiting: [BudgetViolation] = []
        /// Whether the queue is delivering. It stops when no violation waits.
        var isDelivering = false
        /// The tasks that wait for an empty queue, in the order of their arrival.
        var idle: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    /// How many violations may wait. A budget and a component send at most one a minute.
    static let capacity = 100

    private let handler: @Sendable (BudgetViolation) -> Void
    private let full: Counter
    /// Not the shared thread pool of tasks: it may have as few threads as there are cores, and a handler that blocks
    /// would occupy one.
    private let queue = DispatchQueue(label: "axiom.budget-violations", qos: .utility)
    /// Guarded by its lock; the handler is called and continuations are resumed outside of it.
    private let state = Lock(State())

    /// - Parameter full: Counts the violations that did not fit into the queue.
    init(to handler: @escaping @Sendable (BudgetViolation) -> Void, full: Counter) {
        self.handler = handler
        self.full = full
    }

    /// Queues a violation. Cost: a lock, and a block of Dispatch if nothing is queued. A budget and a component send at
    /// most one a minute.
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
                    // An earlier cancellation found no continuation to resume, so it is detected here.
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

    /// The next violation; nil if none waits, which ends the work of the queue.
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
