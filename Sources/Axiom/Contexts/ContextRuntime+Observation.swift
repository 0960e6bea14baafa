// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The task of an observation, and its timer.
struct ObservationTask {
    let task: Task<Void, Never>
    let timer: ObservationTimer
}

/// Times the start and the cancellation of an observation's task.
///
/// On the main actor, like the task: this orders the task's last step with the cancellation.
@MainActor
final class ObservationTimer {
    private let reporter: ContextReporter?
    private let clock: TimeSource
    /// nil if nothing is reported.
    private let madeAt: Instant?
    private var cancelledAt: Instant?

    init(_ reporter: ContextReporter?, _ clock: TimeSource) {
        self.reporter = reporter
        self.clock = clock
        madeAt = reporter == nil ? nil : clock.now
    }

    /// Call when the task takes its first step.
    func began() {
        if let madeAt { reporter?.operationEnded(.taskStartup, since: madeAt, clock) }
    }

    /// Call when the task was cancelled.
    func cancelled() {
        if reporter != nil { cancelledAt = clock.now }
    }

    /// Call when the task takes its last step.
    func ended() {
        if let cancelledAt { reporter?.operationEnded(.cancellation, since: cancelledAt, clock) }
    }
}

extension ContextRuntime {
    /// Passes each state of `stream` to `apply`, in batches, until the context disappears or ends.
    ///
    /// Everything here runs on the main actor, so no state is applied after ``endObservations()``. A context that has
    /// disappeared begins no new observation, although its `onAppear` may still be running.
    func observe<C: Context, S: OwnedState>(
        _ stream: StateStream<S>,
        by context: C,
        _ apply: @escaping @MainActor (C, S) throws -> Void
    ) {
        guard observes else { return }
        let observation = StateObservation(stream, of: context, by: self, apply)
        follow(observation, from: nil)
    }

    /// Follows the states in a task. The context owns the task until the task ends.
    ///
    /// - Parameter iterator: The subscription; nil to subscribe in the task.
    fileprivate func follow<C, S>(
        _ observation: StateObservation<C, S>,
        from iterator: StateStream<S>.AsyncIterator?
    ) {
        let timer = ObservationTimer(reporter, port.clock)
        let number = ObjectIdentifier(timer)
        let task = Task { [weak self] in
            timer.began()
            // An observation lasts longer than the operation that began it, and what it does has other causes.
            await OperationContext.$current.withValue(.current(under: .none)) { await observation.run(from: iterator) }
            timer.ended()
            self?.observations[number] = nil
        }
        observations[number] = ObservationTask(task: task, timer: timer)
    }

    func endObservations() {
        for observation in observations.values {
            observation.timer.cancelled()
            observation.task.cancel()
        }
        observations.removeAll()
    }
}

/// One observation of a client by a context, across all its subscriptions. Retains neither the context nor its runtime.
@MainActor
private final class StateObservation<C: Context, S: OwnedState> {
    private let stream: StateStream<S>
    private weak var context: C?
    private weak var runtime: ContextRuntime?
    private let descriptor: ComponentDescriptor
    private let apply: @MainActor (C, S) throws -> Void
    /// How often the observation subscribed again since a subscription last proved to work. A recovery starts with this
    /// number, so its limit of attempts applies to the observation and not to each of its failures.
    private var renewals = 0

    init(
        _ stream: StateStream<S>,
        of context: C,
        by runtime: ContextRuntime,
        _ apply: @escaping @MainActor (C, S) throws -> Void
    ) {
        self.stream = stream
        self.context = context
        self.runtime = runtime
        self.apply = apply
        descriptor = runtime.descriptor
    }

    /// Applies all states until the stream ends, the task is cancelled or the context is released. If the stream ends
    /// early, the error is settled; that may lead to a new subscription in a task of its own.
    func run(from iterator: StateStream<S>.AsyncIterator?) async {
        var states = iterator ?? stream.makeAsyncIterator()
        do {
            while let batch = try await states.nextBatch() {
                await applyAll(batch)
                if context == nil || Task.isCancelled { return }
                if renewals > 0, iterator != nil, states.isOpen { renewals = 0 }
            }
        } catch {
            _ = await runtime?.settle(error, ErrorTrail(), attempts: renewals) { [weak self] in
                guard let self else { throw CancellationError() }
                try await self.renew()
            }
        }
    }

    /// Subscribes again. Succeeds when the first state of the new subscription has been applied.
    private func renew() async throws {
        guard let runtime, runtime.observes, context != nil else { throw ContextError.gone(descriptor) }
        renewals += 1
        var states = stream.makeAsyncIterator()
        guard let first = try await states.nextBatch() else { return try Task.checkCancellation() }
        await applyAll(first)
        guard runtime.observes else { throw CancellationError() }
        runtime.follow(self, from: states)
    }

    private func applyAll(_ batch: StateBatch<S>) async {
        for state in batch {
            guard let context, !Task.isCancelled else { return }
            do {
                try apply(context, state)
            } catch {
                _ = await runtime?.settle(error, ErrorTrail()) { [weak self] in try self?.applyAgain(state) }
            }
        }
    }

    /// Applies a state again, for a recovery. Throws if the observation has ended.
    private func applyAgain(_ state: S) throws {
        guard let runtime, runtime.observes, let context else { throw ContextError.gone(descriptor) }
        try apply(context, state)
    }
}
