// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// Delivers critical errors to a sink, one after the other and off the path on which they ended.
final class ErrorDelivery: Sendable {
    private struct State {
        var waiting: [EndedError] = []
        /// Whether a task is delivering errors. It ends when the queue is empty.
        var isDelivering = false
        /// The tasks that wait for an empty queue, in the order of their arrival.
        var idle: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private static let capacity = 100

    private let sink: any ErrorSink
    private let full: Counter
    private let failed: Counter
    /// Guarded by its lock; the sink is called and continuations are resumed outside of it.
    private let state = Lock(State())

    /// - Parameters:
    ///   - full: Counts the errors that did not fit into the queue.
    ///   - failed: Counts the errors for which the sink threw an error.
    init(to sink: any ErrorSink, full: Counter, failed: Counter) {
        self.sink = sink
        self.full = full
        self.failed = failed
    }

    func send(_ error: EndedError) {
        let (isAccepted, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < Self.capacity else { return (false, false) }
            state.waiting.append(error)
            defer { state.isDelivering = true }
            return (true, !state.isDelivering)
        }
        if !isAccepted { full.increment() }
        if isFirst { Task.detached(priority: .utility) { await self.deliver() } }
    }

    /// Waits until the queue is empty, or until the task is cancelled: a sink may hang.
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

    private func deliver() async {
        while let error = next() {
            do {
                try await sink.receive(error)
            } catch {
                failed.increment()
            }
        }
    }

    /// The next error; nil if the queue is empty, which ends the task.
    private func next() -> EndedError? {
        let (error, idle) = state.withLock { state -> (EndedError?, [UInt64: CheckedContinuation<Void, Never>]) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), [:]) }
            state.isDelivering = false
            defer { state.idle = [:] }
            return (nil, state.idle)
        }
        for continuation in idle.values { continuation.resume() }
        return error
    }
}
