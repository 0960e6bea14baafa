// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The framework's side of one context: its error boundary, its downstream contexts, its operations that are under way
/// and its observations.
///
/// It belongs to the context's identity and so lives as long as the context. It holds the contexts below it, which
/// it owns, and never the one that it belongs to or the one above.
@MainActor
final class ContextRuntime {
    let descriptor: ComponentDescriptor
    let boundary: ErrorBoundary

    let port: InstrumentationPort
    let supervisor: Supervisor?
    private let boundReporter: ContextReporter?
    private(set) weak var context: (any Context)?
    private(set) weak var upstream: ContextRuntime?
    private var downstream: [any Context] = []
    private var visibility = ContextVisibility()
    /// Actions and phases of the life cycle that are suspended, to be cancelled when the context disappears. One that
    /// ends without a suspension is never here.
    var operations: [ObjectIdentifier: Task<ActionOutcome, Never>] = [:]
    /// The observations whose tasks have not ended.
    var observations: [ObjectIdentifier: ObservationTask] = [:]

    init(
        _ descriptor: ComponentDescriptor,
        upstream: ContextRuntime? = nil,
        supervisor: Supervisor? = nil,
        reporter: ContextReporter? = nil,
        port: InstrumentationPort
    ) {
        self.descriptor = descriptor
        self.upstream = upstream
        self.supervisor = supervisor
        boundReporter = reporter
        self.port = port
        boundary = ErrorBoundary(descriptor, port: port)
    }

    deinit {
        for observation in observations.values { observation.task.cancel() }
    }

    /// Reports for the context's type; nil if nothing observes it, and in a build without the trait `Instrumented`.
    @inline(__always)
    var reporter: ContextReporter? { InstrumentationPort.isInstrumented ? boundReporter : nil }

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

    /// Whether the context has disappeared for good: it handles no action any more.
    var isGone: Bool {
        visibility.life == .gone
    }

    /// Whether states may be applied: until the context begins to disappear.
    var observes: Bool {
        visibility.life != .disappearing && visibility.life != .gone
    }
}

// MARK: - Life cycle

extension ContextRuntime {
    /// Upstream before downstream: a context is ready before those that it owns. Stops if it disappears while it appears.
    ///
    /// A context that appears while the application is in the background is notified afterwards, downstream before
    /// upstream.
    func appear() async {
        guard let context, visibility.appear() else { return }
        let outcome = await run(.appear, context) { try await $0.onAppear() }
        if outcome == .failure { context.identity.note(.failed) }
        if !visibility.appeared() || outcome == .cancelled { context.identity.note(.cancelled) }
        for child in downstream where visibility.life == .visible { await child.runtime.appear() }
        await tellApplicationPhase()
    }

    /// Downstream before upstream, the last that was made first. What is under way is cancelled at once, in the whole
    /// tree; observation ends before the context hears of it. A context that never appeared hears nothing.
    ///
    /// The context can still handle actions until its `onDisappear()` has returned, so that it can send itself one.
    func disappear() async {
        let wasPending = visibility.life == .pending
        guard visibility.disappear() else { return }
        if wasPending { context?.identity.note(.cancelled) }
        cancelOperations()
        for child in downstream.reversed() { await child.runtime.disappear() }
        endObservations()
        if !wasPending, let context { await run(.disappear, context) { try await $0.onDisappear() } }
        visibility.disappeared()
        for operation in operations.values { operation.cancel() }
    }

    private func cancelOperations() {
        for operation in operations.values { operation.cancel() }
        for child in downstream { child.runtime.cancelOperations() }
    }

    /// Tells the tree that the application came back to the foreground: upstream before downstream. A context hears
    /// of it if it heard of the background before.
    func enterForeground() async {
        await tellApplicationPhase()
        for child in downstream { await child.runtime.enterForeground() }
    }

    /// Tells the tree that the application went to the background: downstream before upstream. A context that has not
    /// appeared yet hears of it after its `onAppear()`, for which this does not wait.
    func enterBackground() async {
        for child in downstream.reversed() { await child.runtime.enterBackground() }
        await tellApplicationPhase()
    }

    /// Tells the context where the application is, unless it knows. One that has not appeared, or disappears, is not
    /// told.
    private func tellApplicationPhase() async {
        let isInBackground = supervisor?.isInBackground ?? false
        guard let context, visibility.learn(isInBackground: isInBackground) else { return }
        if isInBackground {
            await run(.background, context) { try await $0.onBackground() }
        } else {
            await run(.foreground, context) { try await $0.onForeground() }
        }
    }

    /// Reports that the presentation is gone: this context and all below it should end now.
    func reportUnmounted() {
        guard port.observer != nil else { return }
        context?.identity.reportUnmounted()
        for child in downstream { child.runtime.reportUnmounted() }
    }
}

/// The notifications that a context has received of its life, as a pure state machine: it takes events and returns
/// whether to notify the context.
///
/// Life cycle calls suspend, so an event can come while the context still works on an earlier one.
struct ContextVisibility: Hashable, Sendable {
    enum Life: Hashable, Sendable {
        /// Made, and not shown yet.
        case pending
        /// `onAppear()` is under way.
        case appearing
        case visible
        /// The presentation was unmounted, and `onDisappear()` has not returned yet.
        case disappearing
        case gone
    }

    private(set) var life = Life.pending
    /// Where the context believes the application to be.
    private(set) var knowsBackground = false

    /// The presentation appears. Returns whether `onAppear()` is to be called: once in a life.
    mutating func appear() -> Bool {
        guard life == .pending else { return false }
        life = .appearing
        return true
    }

    /// `onAppear()` has ended. Returns whether the context is visible now; false if it disappeared before.
    mutating func appeared() -> Bool {
        guard life == .appearing else { return false }
        life = .visible
        return true
    }

    /// The application is in the background, or in the foreground. Returns whether the context is to be told: if it is
    /// visible and believes the contrary.
    mutating func learn(isInBackground: Bool) -> Bool {
        guard life == .visible, knowsBackground != isInBackground else { return false }
        knowsBackground = isInBackground
        return true
    }

    /// The presentation was unmounted. Returns false if it was before.
    mutating func disappear() -> Bool {
        guard life != .disappearing, life != .gone else { return false }
        life = .disappearing
        return true
    }

    /// `onDisappear()` has returned, or the context was not told because it never appeared.
    mutating func disappeared() {
        if life == .disappearing { life = .gone }
    }
}
