// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience
internal import Observation

/// Shows one presentation at a time: makes its context, renders it, renders it again when observed state changes, and
/// releases everything on unmount.
///
/// The host is independent of the renderer: it passes each output to a closure. Changes that come before the next turn
/// of the main actor are rendered once.
@MainActor
public final class PresentationHost<P: Presentation> {
    /// The host's state between mount and unmount.
    private struct Mounted {
        /// Its slot in the orchestrator's table of mounts.
        let slot: Int
        let identity: ComponentIdentity
        let presentation: P
        /// Whether another presentation covers it.
        var isCovered = false
    }

    private let orchestrator: Orchestrator
    private let render: @MainActor (P.Output) -> Void
    private var mounted: Mounted?
    private let turns: PresentationTurns
    let component = ComponentDescriptor(kind: .presentation, name: P.componentName)
    /// Begins with a mount, cover, uncover or unmount, and ends with the next one. A change of a presentation that was
    /// covered or unmounted since then renders nothing.
    private var generation = RenderGeneration()

    /// Makes a host that shows nothing yet.
    ///
    /// - Parameters:
    ///   - type: The presentation to show.
    ///   - orchestrator: Makes the presentation's context.
    ///   - render: Receives each output, on the main actor.
    public init(
        _ type: P.Type = P.self,
        _ orchestrator: Orchestrator,
        render: @escaping @MainActor (P.Output) -> Void
    ) {
        self.orchestrator = orchestrator
        self.render = render
        turns = PresentationTurns(component, orchestrator.port.clock)
    }

    deinit { generation.end() }

    /// The context of the mounted presentation; nil if none is mounted.
    public var context: P.ContextType? { mounted?.presentation.context }

    /// Makes the presentation and its context, renders them, and notifies the context that it appeared.
    ///
    /// - Throws: ``CompositionError`` if the orchestrator does not run, the host already shows a presentation, the
    ///   context or one of its dependencies is not registered, or contexts resolve each other in a cycle;
    ///   ``LifecycleError`` with the code ``ErrorCode/waitsForItself`` if an unmount that is under way waits for the
    ///   caller; `CancellationError` if the application was shut down before the context had appeared; and any error of
    ///   a factory.
    public func mount(_ input: P.ContextType.Input) async throws {
        let run = try orchestrator.expectRunning(for: "mount").id
        let turn: TurnID
        do {
            turn = try turns.begin(.mount)
        } catch {
            orchestrator.port.reportDeadlock(of: component)
            throw LifecycleError.waitsForItself(
                component,
                path: error.description,
                remedy: "Mount it when unmount() has returned."
            )
        }
        let context = try await turns.start(turn, .mount) { try self.show(input, run) }.value.get()
        // Not part of the turn: an unmount need not wait for a slow appearance.
        await context.runtime.appear()
        _ = try current(run)
    }

    /// The run with the number `id`, if it has not been shut down. A mount keeps the number and not the run, so a slow
    /// appearance does not keep capabilities alive.
    private func current(_ id: UInt64) throws -> Orchestrator.Run {
        guard case .running(let run) = orchestrator.life, run.id == id else { throw Cancellation.onPurpose }
        return run
    }

    private func show(_ input: P.ContextType.Input, _ run: UInt64) throws -> P.ContextType {
        let run = try current(run)
        guard mounted == nil else {
            throw CompositionError(
                .wrongPhase,
                "\(P.componentName) is mounted already.",
                "Unmount it first, or make a host for each presentation that is shown at the same time."
            )
        }
        let (identity, context) = try orchestrator.makeContext(for: P.self, input, in: run)
        let presentation = P(context: context)
        mounted = Mounted(slot: orchestrator.add(self), identity: identity, presentation: presentation)
        identity.announce()
        beginGeneration()
        renderNow()
        return context
    }

    /// Notifies the context that it disappeared, and releases it. Does nothing if nothing is mounted.
    ///
    /// Continues even if the calling task is cancelled. If an unmount of this host is under way and waits for the
    /// caller, this returns at once, because the unmount happens anyway. That is so for a context that unmounts its own
    /// presentation while it disappears, or another presentation whose context waits for it.
    public func unmount() async {
        // From here on nothing is rendered, although a change may be pending and the turn may come later.
        beginGeneration()
        await turns.run(.unmount) { await self.release() }
    }

    /// Notifies the context that it disappeared, because another presentation covers this one. Nothing is rendered
    /// until ``uncover()``. Does nothing if nothing is mounted or it is covered already.
    ///
    /// Continues even if the calling task is cancelled. If an earlier turn of this host waits for the caller, this
    /// returns at once, and happens when that turn has ended.
    package func cover() async {
        // From here on nothing is rendered, although the turn may come later.
        beginGeneration()
        await turns.run(.cover) { await self.hide() }
    }

    /// Renders the presentation, and notifies the context that it appeared. Does nothing unless it is covered.
    ///
    /// Waits for an earlier `onAppear()` of its contexts that is still under way, so that their calls do not overlap.
    /// If an earlier turn of this host waits for the caller, this returns at once, and happens when that turn has
    /// ended.
    package func uncover() async {
        let context = await turns.run(.uncover, { await self.reveal() }, late: { await $0?.runtime.appear() })
        // Not part of the turn, as in `mount`.
        await context??.runtime.appear()
    }

    private func hide() async {
        guard let context, mounted?.isCovered == false else { return }
        beginGeneration()
        mounted?.isCovered = true
        await context.runtime.cover()
    }

    /// Returns the context that is to be notified that it appeared.
    private func reveal() async -> P.ContextType? {
        guard let context, mounted?.isCovered == true else { return nil }
        beginGeneration()
        mounted?.isCovered = false
        renderNow()
        await context.runtime.endAppearances()
        context.runtime.uncover()
        return context
    }

    private func release() async {
        guard let last = mounted.take() else { return }
        let runtime = last.presentation.context.runtime
        await runtime.disappear()
        runtime.reportUnmounted()
        last.identity.reportUnmounted()
        orchestrator.remove(last.slot)
    }

    private func beginGeneration() {
        generation.end()
        generation = RenderGeneration()
    }

    /// Renders, and renders again after the next change of the state that the body read.
    private func renderNow() {
        guard let presentation = mounted?.presentation else { return }
        let (generation, clock, quiescence) = (generation, orchestrator.port.clock, orchestrator.quiescence)
        let picture = withObservationTracking {
            generation.observe()
            return presentation.body
        } onChange: { [weak self] in
            guard !generation.isOver else { return }
            // Called once, before the value changes. The main actor is busy with that change, so the task runs
            // after it, and after all others of the same turn.
            let changedAt = clock.now
            quiescence.begin()
            Task.onMainActor {
                self?.render(changeAt: changedAt, generation)
                quiescence.end()
            }
        }
        render(picture)
    }

    private func render(changeAt changedAt: Instant, _ generation: RenderGeneration) {
        guard generation === self.generation, mounted?.isCovered == false, let context else { return }
        context.runtime.runs(.phase(.render)) { renderNow() }
        context.runtime.report(.render, since: changedAt)
    }
}

extension PresentationHost: MountedPresentation {
    var root: ContextRuntime? { context?.runtime }

    func enterBackground() async { await context?.runtime.enterBackground() }

    func enterForeground() async { await context?.runtime.enterForeground() }
}
