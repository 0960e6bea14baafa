// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The framework's side of one context: its error boundary, its downstream contexts and its observation tasks.
///
/// It belongs to the context's identity and so lives as long as the context. It holds the contexts below it, which
/// it owns, and never the one that it belongs to or the one above.
@MainActor
final class ContextRuntime {
    /// Life cycle calls suspend, so that one may come while another is under way: this keeps their order.
    private enum Visibility {
        /// Made, and not shown yet.
        case pending
        case visible
        /// No longer shown: nothing is observed any more.
        case gone
    }

    let descriptor: ComponentDescriptor
    let boundary: ErrorBoundary

    let port: InstrumentationPort
    let supervisor: Supervisor?
    let probe: (any ContextProbe)?
    private(set) weak var context: (any Context)?
    private(set) weak var upstream: ContextRuntime?
    private var downstream: [any Context] = []
    private var observations: [(task: Task<Void, Never>, watch: TaskWatch)] = []
    private var visibility = Visibility.pending

    init(
        _ descriptor: ComponentDescriptor,
        upstream: ContextRuntime? = nil,
        supervisor: Supervisor? = nil,
        probe: (any ContextProbe)? = nil,
        port: InstrumentationPort
    ) {
        self.descriptor = descriptor
        self.upstream = upstream
        self.supervisor = supervisor
        self.probe = probe
        self.port = port
        boundary = ErrorBoundary(descriptor, port: port)
    }

    deinit {
        for observation in observations { observation.task.cancel() }
    }

    func attach(_ context: any Context) {
        self.context = context
    }

    func adopt(_ child: any Context) {
        downstream.append(child)
    }

    var upstreamContext: (any Context)? {
        upstream?.context
    }

    var downstreamContexts: [any Context] {
        downstream
    }
}

// MARK: - Operations inside the error boundary

extension ContextRuntime {
    /// Runs an action inside the boundary.
    func perform<C: Context>(_ action: C.ActionType, by context: C) async {
        #if Instrumented
        let start = probe == nil ? nil : port.clock.now
        #endif
        let isKept = supervisor?.keeps(context) ?? true
        let outcome = isKept ? await act(action, by: context) : await refuse()
        #if Instrumented
        if let probe, let start { Hooks.actionEnded(action, outcome, since: start, probe, port.clock) }
        #endif
    }

    private func act<C: Context>(_ action: C.ActionType, by context: C) async -> ActionOutcome {
        let known = boundary.count
        var isRefused = false
        var retries: Retries?
        let outcome = await contain {
            try await Self.handle(action, by: context, probe, port, isRefused: &isRefused)
        } again: { [weak context, probe, port] in
            let made = Retries()
            retries = made
            return { [weak context, descriptor] in
                guard let context else { throw ContextError.gone(descriptor) }
                var isRefused = false
                defer { if !isRefused { made.haveRun = true } }
                try await Self.handle(action, by: context, probe, port, isRefused: &isRefused)
            }
        }
        if outcome == .failure, isRefused, retries?.haveRun != true { return .rejected }
        // An error that came meanwhile is another operation's, and has not been seen yet.
        if outcome == .success, boundary.count == known { boundary.dismiss() }
        return outcome
    }

    /// What is known of the further attempts of an action. Made for one that failed only.
    @MainActor
    private final class Retries {
        /// Whether one of them was not refused: then the action ran.
        var haveRun = false
    }

    /// Handles an action, through the circuit breaker of the context's type where it has one.
    private static func handle<C: Context>(
        _ action: C.ActionType,
        by context: C,
        _ probe: (any ContextProbe)?,
        _ port: InstrumentationPort,
        isRefused: inout Bool
    ) async throws {
        #if Instrumented
        try await Hooks.guarded(probe, port.clock, isRefused: &isRefused) { try await context.handle(action) }
        #else
        try await context.handle(action)
        #endif
    }

    /// Refuses an action, since emergency mode does not keep this context. Nothing recovers from that: it was wanted.
    private func refuse() async -> ActionOutcome {
        let refusal = failure(ContextError.emergencyMode(descriptor), ErrorTrail(), again: nil)
        _ = await boundary.settle(refusal, by: .surface)
        return .rejected
    }

    /// Runs one phase of the life cycle inside the boundary.
    @discardableResult
    private func run(
        _ phase: LifecyclePhase,
        _ context: any Context,
        _ body: @escaping @MainActor @Sendable (any Context) async throws -> Void
    ) async -> ActionOutcome {
        #if Instrumented
        let start = probe == nil ? nil : port.clock.now
        #endif
        let outcome = await contain {
            try await body(context)
        } again: { [weak context] in
            { [weak context, descriptor] in
                guard let context else { throw ContextError.gone(descriptor) }
                try await body(context)
            }
        }
        #if Instrumented
        if let probe, let start { Hooks.phaseEnded(phase, since: start, probe, port.clock) }
        #endif
        return outcome
    }

    /// Runs `body`; what it throws is settled.
    ///
    /// - Parameter again: Makes what runs `body` again; called only when it threw, so that a success allocates nothing.
    @discardableResult
    private func contain(
        _ body: () async throws -> Void,
        again: () -> FailedOperation.Body
    ) async -> ActionOutcome {
        let trail = ErrorTrail()
        do {
            try await ErrorTrail.$current.withValue(trail, operation: body)
            return .success
        } catch {
            return await settle(error, trail, again: again())
        }
    }

    /// Runs what a person chose to do about an error, inside the boundary.
    func contain(_ body: @escaping FailedOperation.Body) async {
        await contain(body, again: { body })
    }

    /// Reports an operation that began at `start`.
    func report(_ operation: ComponentOperation, since start: Instant) {
        #if Instrumented
        if let probe { Hooks.operationEnded(operation, since: start, probe, port.clock) }
        #endif
    }

    /// Reports how long a synchronous phase took that began at `start`.
    func report(_ phase: LifecyclePhase, since start: Instant) {
        #if Instrumented
        if let probe { Hooks.phaseEnded(phase, since: start, probe, port.clock) }
        #endif
    }
}

// MARK: - Life cycle

extension ContextRuntime {
    /// Upstream before downstream: a context is ready before those that it owns. Stops when it disappears meanwhile.
    func appear() async {
        guard let context, visibility == .pending else { return }
        visibility = .visible
        let outcome = await run(.appear, context) { try await $0.onAppear() }
        if outcome == .failure { context.identity.note(.failed) }
        if visibility == .gone || outcome == .cancelled { context.identity.note(.cancelled) }
        for child in downstream where visibility == .visible { await child.runtime.appear() }
    }

    /// Downstream before upstream, the last that was made first. Observation ends before the context is told.
    /// A context that never appeared is not told.
    func disappear() async {
        guard visibility != .gone else { return }
        let wasVisible = visibility == .visible
        if !wasVisible { context?.identity.note(.cancelled) }
        visibility = .gone
        for child in downstream.reversed() { await child.runtime.disappear() }
        endObservations()
        if wasVisible, let context { await run(.disappear, context) { try await $0.onDisappear() } }
    }

    /// Upstream before downstream. A context that disappears meanwhile is not told any more.
    func enterForeground() async {
        if visibility != .gone, let context { await run(.foreground, context) { try await $0.onForeground() } }
        for child in downstream { await child.runtime.enterForeground() }
    }

    /// Downstream before upstream. A context that disappears meanwhile is not told any more.
    func enterBackground() async {
        for child in downstream.reversed() { await child.runtime.enterBackground() }
        if visibility != .gone, let context { await run(.background, context) { try await $0.onBackground() } }
    }

    /// Reports that the presentation is gone: this context and all below it should end now.
    func reportUnmounted() {
        #if Instrumented
        if let context { Hooks.unmounted(context.identity) }
        for child in downstream { child.runtime.reportUnmounted() }
        #endif
    }
}

// MARK: - Observation

extension ContextRuntime {
    /// Hands each state of `stream` to `apply`, in batches, until the context disappears or ends.
    ///
    /// Everything here runs on the main actor, so that no state is applied after ``endObservations()``. A context
    /// that is gone begins no new observation: its `onAppear` may still be running, resumed late.
    func observe<C: Context, S: OwnedState>(
        _ stream: StateStream<S>,
        by context: C,
        _ apply: @escaping @MainActor (C, S) throws -> Void
    ) {
        guard visibility != .gone else { return }
        let watch = TaskWatch(probe, port.clock)
        let task = Task { [weak self, weak context] in
            watch.began()
            defer { watch.ended() }
            var states = stream.makeAsyncIterator()
            do {
                while let batch = try await states.nextBatch() {
                    for state in batch {
                        guard let failure = Self.apply(state, to: context, apply) else { continue }
                        _ = await self?.settle(failure, ErrorTrail()) { [weak context] in
                            guard let context else { throw CancellationError() }
                            try apply(context, state)
                        }
                    }
                    if context == nil || Task.isCancelled { return }
                }
            } catch {
                _ = await self?.settle(error, ErrorTrail()) { [weak self, weak context] in
                    guard let self, let context else { throw CancellationError() }
                    self.observe(stream, by: context, apply)
                }
            }
        }
        observations.append((task, watch))
    }

    /// Applies one state, unless the context is gone or observes no longer.
    ///
    /// - Returns: What `apply` threw.
    private static func apply<C: Context, S: OwnedState>(
        _ state: S,
        to context: C?,
        _ apply: @MainActor (C, S) throws -> Void
    ) -> (any Error)? {
        guard let context, !Task.isCancelled else { return nil }
        do {
            try apply(context, state)
            return nil
        } catch {
            return error
        }
    }

    private func endObservations() {
        for observation in observations {
            observation.watch.cancelled()
            observation.task.cancel()
        }
        observations.removeAll()
    }
}
