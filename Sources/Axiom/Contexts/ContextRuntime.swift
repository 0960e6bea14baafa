// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The framework's side of one context: its error boundary, its downstream contexts, its observations and the
/// operations that are under way.
///
/// The context's identity owns it, so it lives as long as the context. It owns the downstream contexts, and never
/// retains its own context or the upstream one.
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
    /// The suspended actions and life cycle phases, which are cancelled when the context disappears. An operation that
    /// ends without a suspension is never here.
    var operations: [ObjectIdentifier: Task<ActionOutcome, Never>] = [:]
    /// The errors that recorded operations under way have thrown, by the id of the operation's span.
    var failures: [UInt64: any Error] = [:]
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
    var reporter: ContextReporter? { InstrumentedTrait.isOn ? boundReporter : nil }

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

    /// Whether the context has disappeared for good. It then handles no more actions.
    var isGone: Bool {
        visibility.life == .gone
    }

    /// Whether states may be applied. False from the moment when the context begins to disappear.
    var observes: Bool {
        visibility.life != .disappearing && visibility.life != .gone
    }
}

// MARK: - Life cycle

extension ContextRuntime {
    /// Notifies the tree that it appeared: upstream before downstream, one context after the other. Stops if the
    /// context disappears while it appears.
    ///
    /// A context that appears while the application is in the background is notified of that afterwards, downstream
    /// before upstream.
    func appear() async {
        guard let context, visibility.appear() else { return }
        let outcome = await run(.appear, context) { try await $0.onAppear() }
        if outcome == .failure { context.identity.note(.failed) }
        if !visibility.appeared() || outcome == .cancelled { context.identity.note(.cancelled) }
        for child in downstream where visibility.life == .visible { await child.runtime.appear() }
        await tellApplicationPhase()
    }

    /// Notifies the tree that it disappeared: downstream before upstream, the last created first. Cancels the
    /// operations under way at once, in the whole tree. A context's observations end before the context is notified. A
    /// context that never appeared is not notified.
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

    /// Notifies the tree that the application returned to the foreground: upstream before downstream. A context is
    /// notified only if it was notified of the background before.
    func enterForeground() async {
        await tellApplicationPhase()
        for child in downstream { await child.runtime.enterForeground() }
    }

    /// Notifies the tree that the application entered the background: downstream before upstream. A context that has
    /// not appeared yet is notified after its `onAppear()`; this does not wait for it.
    func enterBackground() async {
        for child in downstream.reversed() { await child.runtime.enterBackground() }
        await tellApplicationPhase()
    }

    /// Notifies the context of the application's phase, unless it knows the phase already. A context that has not
    /// appeared, or that disappears, is not notified.
    private func tellApplicationPhase() async {
        let isInBackground = supervisor?.isInBackground ?? false
        guard let context, visibility.learn(isInBackground: isInBackground) else { return }
        if isInBackground {
            await run(.background, context) { try await $0.onBackground() }
        } else {
            await run(.foreground, context) { try await $0.onForeground() }
        }
    }

    /// Reports that the presentation was unmounted: this context and all below it should end now.
    func reportUnmounted() {
        guard port.observer != nil else { return }
        context?.identity.reportUnmounted()
        for child in downstream { child.runtime.reportUnmounted() }
    }
}

/// The notifications that a context has received, as a pure state machine: it takes events and returns whether to
/// notify the context.
///
/// Life cycle calls suspend, so an event can arrive while the context still handles an earlier one.
struct ContextVisibility: Hashable, Sendable {
    enum Life: Hashable, Sendable {
        /// Created, and not shown yet.
        case pending
        /// `onAppear()` is under way.
        case appearing
        case visible
        /// The presentation was unmounted, and `onDisappear()` has not returned yet.
        case disappearing
        case gone
    }

    private(set) var life = Life.pending
    /// The application phase that the context knows: whether it is in the background.
    private(set) var knowsBackground = false

    /// The presentation appears. Returns whether to call `onAppear()`, which happens once in a context's life.
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

    /// The application is in the background or in the foreground. Returns whether to notify the context: if it is
    /// visible and knows the other phase.
    mutating func learn(isInBackground: Bool) -> Bool {
        guard life == .visible, knowsBackground != isInBackground else { return false }
        knowsBackground = isInBackground
        return true
    }

    /// The presentation was unmounted. Returns false if it was already unmounted.
    mutating func disappear() -> Bool {
        guard life != .disappearing, life != .gone else { return false }
        life = .disappearing
        return true
    }

    /// `onDisappear()` has returned, or was not called because the context never appeared.
    mutating func disappeared() {
        if life == .disappearing { life = .gone }
    }
}
