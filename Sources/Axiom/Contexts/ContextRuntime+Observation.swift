// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The task of an observation, and its timer.
struct ObservationTask {
    let task: Task<Void, Never>
    let timer: ObservationTimer
    fileprivate let observation: any EndableObservation

    /// Whether it waits for a state, with none pending, or for a test; or whether it applies nothing more.
    @MainActor var isIdle: Bool { observation.isIdle }
}

/// An observation that can be ended before its task has ended.
@MainActor
private protocol EndableObservation: AnyObject, Sendable {
    /// Ends the observation: it applies and acknowledges nothing more.
    ///
    /// - Returns: Its position; nil if it has none or has returned it already.
    func end() -> StateReader?
    /// Whether it waits for a state, with none pending, or for a test; or whether it applies nothing more.
    var isIdle: Bool { get }
}

extension ContextRuntime {
    /// Passes each state of `stream` to `apply`, in batches, until the context disappears, is covered or ends.
    ///
    /// Everything here runs on the main actor, so no state is applied after ``endObservations()``. A context that has
    /// disappeared or is covered begins no new observation, although its `onAppear` may still be running.
    func observe<C: Context, S: OwnedState>(
        _ stream: StateStream<S>,
        by context: C,
        _ apply: @escaping @MainActor (C, S) throws -> Void
    ) {
        guard observes else { return }
        follow(StateObservation(stream, of: context, by: self, apply))
    }

    /// Follows the states in a task. The context owns the task until the task ends.
    ///
    /// - Parameter states: The subscription; nil to subscribe in the task.
    fileprivate func follow<C, S>(_ observation: StateObservation<C, S>, from states: StateCursor<S>? = nil) {
        let timer = ObservationTimer(reporter, port.clock)
        let number = ObjectIdentifier(timer)
        let quiescence = supervisor?.quiescence
        observation.waits = quiescence?.makeWaits()
        let task = TestWaits.bind(observation.waits) {
            Task.onMainActor { [weak self, spans = reporter?.spans] in
                timer.began()
                // An observation lasts longer than the operation that began it, and what it does has other causes.
                let context = OperationContext.current(under: .none)
                await context.bind(with: spans) { await observation.run(from: states) }
                timer.ended()
                self?.observations[number] = nil
                quiescence?.changed()
            }
        }
        observations[number] = ObservationTask(task: task, timer: timer, observation: observation)
    }

    func endObservations() {
        observationPeriod += 1
        for observation in observations.values {
            observation.timer.cancelled()
            observation.task.cancel()
            if let reader = observation.observation.end() { keep(reader) }
        }
        observations.removeAll()
    }

    /// Keeps the position of an observation that has ended, for the next observation of the same store.
    fileprivate func keep(_ reader: StateReader) {
        guard !isGone else { return }
        positions[ObjectIdentifier(reader.fanout), default: []].append(reader)
    }

    /// Returns the kept position of an earlier observation, or a new one.
    ///
    /// - Parameter own: The position that the same observation has left; nil for its first subscription.
    fileprivate func reader(at fanout: StateFanout, own: StateReader?) -> StateReader {
        let kept = positions[ObjectIdentifier(fanout)] ?? []
        guard let index = own == nil ? kept.indices.first : kept.firstIndex(where: { $0 === own }) else {
            return StateReader(fanout)
        }
        defer { positions[ObjectIdentifier(fanout)]?.remove(at: index) }
        return kept[index]
    }
}

/// One observation of a client by a context, across all its subscriptions. Retains neither the context nor its runtime.
@MainActor
private final class StateObservation<C: Context, S: OwnedState>: EndableObservation {
    private let stream: StateStream<S>
    private weak var context: C?
    private weak var runtime: ContextRuntime?
    private let descriptor: ComponentDescriptor
    private let apply: @MainActor (C, S) throws -> Void
    /// The position in the critical states; nil without a subscription, and for a fixed list of states.
    private var reader: StateReader?
    /// The subscription. The iteration owns it.
    private weak var cursor: StateCursor<S>?
    /// The waits for a test; nil outside of tests.
    var waits: TestWaits?
    /// The position of the last subscription, which is kept by the context.
    private var left: StateReader?
    /// The period of observation in which it began; see ``ContextRuntime/observationPeriod``.
    private let period: Int
    private var isEnded = false
    /// Whether it applies and acknowledges nothing more. An observation whose task has ended is not ended by the context,
    /// but a recovery must not continue it in a later period.
    private var hasEnded: Bool { isEnded || runtime.map { $0.observationPeriod != period } == true }
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
        period = runtime.observationPeriod
    }

    /// Applies all states until the stream ends, the task is cancelled or the context is released. If the stream ends
    /// early, the error is settled; that may lead to a new subscription in a task of its own.
    func run(from cursor: StateCursor<S>?) async {
        guard !hasEnded else { return }
        let isRenewed = cursor != nil
        do {
            let states = if let cursor { cursor } else { await subscribe() }
            self.cursor = states
            while let taken = try await nextStates(of: states) {
                await applyAll(taken)
                if context == nil || Task.isCancelled { break }
                if renewals > 0, isRenewed, states.isOpen { renewals = 0 }
            }
            leave(isFinished: !Task.isCancelled)
        } catch {
            leave(isFinished: false)
            _ = await runtime?.settle(error, ErrorTrail(), attempts: renewals) { [weak self] in
                guard let self else { throw Cancellation.onPurpose }
                try await self.renew()
            }
        }
    }

    private func nextStates(of states: StateCursor<S>) async throws(StateError) -> Subscription.Buffer.Taken? {
        try await states.take(.all, isolation: #isolation) {
            // The main actor is free when the subscription waits, and not before.
            MainActor.assumeIsolated { self.runtime?.supervisor?.quiescence.changed() }
        }
    }

    var isIdle: Bool { hasEnded || cursor?.isParked == true || waits?.isWaiting == true }

    /// Subscribes at the position of the last state that was applied. Critical states that are lost end at the boundary.
    private func subscribe() async -> StateCursor<S> {
        guard let runtime else { return stream.makeAsyncIterator(for: descriptor).cursor }
        let reader = runtime.reader(at: stream.storage, own: left)
        self.reader = reader
        let (states, lost) = stream.storage.subscribe(at: reader, by: descriptor)
        if lost > 0 {
            _ = await runtime.settle(StateError.criticalStatesLost(S.self, lost), ErrorTrail(), again: nil)
        }
        return states
    }

    /// Returns the position to the context.
    ///
    /// - Parameter isFinished: Whether the store publishes no more states.
    private func leave(isFinished: Bool) {
        if let reader, !isFinished { runtime?.keep(reader) }
        left = reader.take()
    }

    func end() -> StateReader? {
        isEnded = true
        return reader.take()
    }

    /// Subscribes again. Succeeds when the states that are pending for the new subscription have been applied.
    private func renew() async throws {
        let runtime = try followed()
        renewals += 1
        let states = await subscribe()
        do {
            if states.hasPending || !states.isOpen {
                // The stream has ended if there is nothing: there is nothing to follow, and no reason to try again.
                guard let first = try await states.take(.all, isolation: #isolation) else {
                    leave(isFinished: !Task.isCancelled)
                    return try Task.checkCancellation()
                }
                await applyAll(first)
            }
            guard runtime.observes, !hasEnded else { throw Cancellation.onPurpose }
        } catch {
            leave(isFinished: false)
            throw error
        }
        runtime.follow(self, from: states)
    }

    /// Applies states and acknowledges them. A state whose error was settled counts as applied; one whose application
    /// was cancelled does not.
    private func applyAll(_ taken: Subscription.Buffer.Taken) async {
        var applied: StateVersion?
        defer { if let applied { reader?.acknowledge(applied) } }
        for snapshot in taken.earlier + CollectionOfOne(taken.latest) {
            guard let context, !Task.isCancelled, !hasEnded else { return }
            let state = snapshot.state(as: S.self)
            do {
                try run(context, state)
            } catch {
                // Before the suspension, in which the observation may be ended and begun again.
                if let applied { reader?.acknowledge(applied) }
                let outcome = await runtime?.settle(error, ErrorTrail()) { [weak self] in try self?.applyAgain(state) }
                if outcome == .cancelled { return }
            }
            applied = snapshot.version
        }
    }

    private func run(_ context: C, _ state: S) throws {
        guard let runtime else { return try apply(context, state) }
        let tap = runtime.supervisor?.quiescence.tap
        tap?.willApply(state, to: context)
        defer { tap?.didApply(state, to: context) }
        try runtime.runs(.observation) { try apply(context, state) }
    }

    /// Applies a state again, for a recovery. Throws if the observation has ended.
    private func applyAgain(_ state: S) throws {
        _ = try followed()
        guard let context else { throw ContextError.gone(descriptor) }
        try run(context, state)
    }

    /// The runtime of the context, for a recovery.
    ///
    /// - Throws: ``ContextError`` if the context has disappeared; `CancellationError` if it was covered since the
    ///   observation began, because it observes again when it appears.
    private func followed() throws -> ContextRuntime {
        guard let runtime, context != nil, !runtime.isUnmounted else { throw ContextError.gone(descriptor) }
        guard !hasEnded else { throw Cancellation.onPurpose }
        return runtime
    }
}
