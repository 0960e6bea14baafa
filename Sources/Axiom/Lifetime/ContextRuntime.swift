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

    private let port: InstrumentationPort
    private let probe: (any ContextProbe)?
    private weak var context: (any Context)?
    private weak var upstream: ContextRuntime?
    private var downstream: [any Context] = []
    private var observations: [Task<Void, Never>] = []
    private var visibility = Visibility.pending

    init(
        _ descriptor: ComponentDescriptor,
        upstream: ContextRuntime? = nil,
        probe: (any ContextProbe)? = nil,
        port: InstrumentationPort
    ) {
        self.descriptor = descriptor
        self.upstream = upstream
        self.probe = probe
        self.port = port
        boundary = ErrorBoundary(descriptor, port: port)
    }

    deinit {
        for observation in observations { observation.cancel() }
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
    func perform<A: Action>(_ action: A, _ body: () async throws -> Void) async {
        #if Instrumented
        let start = probe == nil ? nil : port.clock.now
        #endif
        let known = boundary.count
        let outcome = await contain(body)
        // An error that came meanwhile is another operation's, and has not been seen yet.
        if outcome == .success, boundary.count == known { boundary.dismiss() }
        #if Instrumented
        if let probe, let start { Hooks.actionEnded(action, outcome, since: start, probe, port.clock) }
        #endif
    }

    /// Runs one phase of the life cycle inside the boundary.
    private func run(_ phase: LifecyclePhase, _ body: () async throws -> Void) async {
        #if Instrumented
        let start = probe == nil ? nil : port.clock.now
        #endif
        await contain(body)
        #if Instrumented
        if let probe, let start { Hooks.phaseEnded(phase, since: start, probe, port.clock) }
        #endif
    }

    /// Runs `body`; what it throws ends at the boundary.
    @discardableResult
    private func contain(_ body: () async throws -> Void) async -> ActionOutcome {
        let trail = ErrorTrail()
        do {
            try await ErrorTrail.$current.withValue(trail, operation: body)
            return .success
        } catch {
            boundary.end(error, trail: trail)
            return ActionOutcome(ofError: error)
        }
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
        await run(.appear) { try await context.onAppear() }
        for child in downstream where visibility == .visible { await child.runtime.appear() }
    }

    /// Downstream before upstream, the last that was made first. Observation ends before the context is told.
    /// A context that never appeared is not told.
    func disappear() async {
        guard visibility != .gone else { return }
        let wasVisible = visibility == .visible
        visibility = .gone
        for child in downstream.reversed() { await child.runtime.disappear() }
        endObservations()
        if wasVisible, let context { await run(.disappear) { try await context.onDisappear() } }
    }

    /// Upstream before downstream.
    func enterForeground() async {
        if let context { await run(.foreground) { try await context.onForeground() } }
        for child in downstream { await child.runtime.enterForeground() }
    }

    /// Downstream before upstream.
    func enterBackground() async {
        for child in downstream.reversed() { await child.runtime.enterBackground() }
        if let context { await run(.background) { try await context.onBackground() } }
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
        let boundary = boundary
        let task = Task { [weak context] in
            var states = stream.makeAsyncIterator()
            do {
                while let batch = try await states.nextBatch() {
                    guard let context, !Task.isCancelled else { return }
                    for state in batch { Self.apply(state, to: context, apply, boundary) }
                }
            } catch {
                boundary.end(error, trail: nil)
            }
        }
        observations.append(task)
    }

    private static func apply<C: Context, S: OwnedState>(
        _ state: S,
        to context: C,
        _ apply: @MainActor (C, S) throws -> Void,
        _ boundary: ErrorBoundary
    ) {
        do {
            try apply(context, state)
        } catch {
            boundary.end(error, trail: nil)
        }
    }

    private func endObservations() {
        for observation in observations { observation.cancel() }
        observations.removeAll()
    }
}
