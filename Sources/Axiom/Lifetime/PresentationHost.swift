// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Observation

/// Shows one presentation at a time: makes its context, renders it, renders it anew when observed state changes,
/// and lets go of everything when it is unmounted.
///
/// The host knows no renderer: it hands each picture to a closure. Changes that come before the next turn of the
/// main actor are rendered once.
@MainActor
public final class PresentationHost<P: Presentation> {
    /// What the host holds between mount and unmount.
    private struct Mounted {
        /// Its place in the order of the orchestrator's mounts.
        let place: Int
        let identity: ComponentIdentity
        let presentation: P
    }

    private let orchestrator: Orchestrator
    private let render: @MainActor (P.Output) -> Void
    private var mounted: Mounted?
    /// The mounting or unmounting that was asked for last. Each waits for the one before it, so that what was asked
    /// for last is what holds in the end.
    private var lastTurn: Task<Void, Never>?
    /// Counts mounts and unmounts, so that a change of a presentation that is gone renders nothing.
    private var generation = 0

    /// Makes a host that shows nothing yet.
    ///
    /// - Parameters:
    ///   - type: The presentation to show.
    ///   - orchestrator: Makes the presentation's context.
    ///   - render: Takes each picture, on the main actor.
    public init(
        _ type: P.Type = P.self,
        _ orchestrator: Orchestrator,
        render: @escaping @MainActor (P.Output) -> Void
    ) {
        self.orchestrator = orchestrator
        self.render = render
    }

    /// The context of the mounted presentation; nil when nothing is mounted.
    public var context: P.ContextType? {
        mounted?.presentation.context
    }

    /// Makes the presentation and its context, renders them, and tells the context that it appeared.
    ///
    /// - Throws: ``CompositionError`` when the orchestrator does not run, the host shows a presentation already or is
    ///   being unmounted by what asks, the context or something that it asks for is not registered, or contexts resolve
    ///   each other in a circle; and whatever a factory throws.
    public func mount(_ input: P.ContextType.Input) async throws {
        guard !UnmountTurn.isUnderWay(of: self) else {
            throw CompositionError(
                .wrongPhase,
                "\(P.componentName) is to be mounted from within its own onDisappear(), before it is unmounted.",
                "Mount it when unmount() has returned."
            )
        }
        let context = try await inTurn { try self.show(input) }
        // Not part of the turn: who unmounts need not wait for an appearance that takes long.
        await context.runtime.appear()
    }

    private func show(_ input: P.ContextType.Input) throws -> P.ContextType {
        try orchestrator.expect(.running, for: "mount")
        guard mounted == nil else {
            throw CompositionError(
                .wrongPhase,
                "\(P.componentName) is mounted already.",
                "Unmount it first, or make a host for each presentation that is shown at the same time."
            )
        }
        let (identity, context) = try orchestrator.makeContext(for: P.self, input)
        let presentation = P(context: context)
        mounted = Mounted(place: orchestrator.add(self), identity: identity, presentation: presentation)
        identity.announce()
        generation += 1
        renderNow()
        return context
    }

    /// Tells the context that it disappeared, and lets go of it. Does nothing when nothing is mounted.
    ///
    /// Carried through even when the task that asks for it is cancelled. A context that asks for it while it disappears
    /// asks for what is under way: that returns at once.
    public func unmount() async {
        guard !UnmountTurn.isUnderWay(of: self) else { return }
        // From here on nothing is rendered, though a change may be on its way and the turn may come later.
        generation += 1
        await inTurn { await self.letGo() }
    }

    private func letGo() async {
        guard let last = mounted.take() else { return }
        let runtime = last.presentation.context.runtime
        await UnmountTurn.run(of: self) { await runtime.disappear() }
        runtime.reportUnmounted()
        #if Instrumented
        Hooks.unmounted(last.identity)
        #endif
        orchestrator.remove(last.place)
    }

    /// Runs `operation` when all that was asked for before has been done, even if the caller is cancelled.
    private func inTurn<R: Sendable, Failure: Error>(
        _ operation: @escaping @MainActor () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        let previous = lastTurn
        let task = Task { () async -> Result<R, Failure> in
            await previous?.value
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        lastTurn = Task { _ = await task.value }
        return try await task.value.get()
    }

    /// Renders, and renders anew after the next change of what the body read.
    private func renderNow() {
        guard let presentation = mounted?.presentation else { return }
        let (generation, clock) = (generation, orchestrator.port.clock)
        let picture = withObservationTracking {
            presentation.body
        } onChange: { [weak self] in
            // Called once, before the value changes. The main actor is busy with that change, so the task runs
            // after it, and after all others of the same turn.
            let changedAt = clock.now
            Task { @MainActor in self?.render(changeAt: changedAt, generation) }
        }
        render(picture)
    }

    private func render(changeAt changedAt: Instant, _ generation: Int) {
        guard generation == self.generation, let context else { return }
        renderNow()
        context.runtime.report(.render, since: changedAt)
    }
}

extension PresentationHost: MountedPresentation {
    var root: ContextRuntime? {
        context?.runtime
    }

    func enterBackground() async {
        await context?.runtime.enterBackground()
    }

    func enterForeground() async {
        await context?.runtime.enterForeground()
    }
}
