// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
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
    }

    private let orchestrator: Orchestrator
    private let render: @MainActor (P.Output) -> Void
    private var mounted: Mounted?
    /// The latest mount or unmount. Each waits for the previous one, so the latest request determines the final state.
    private var lastTurn: (id: TurnID, task: Task<Void, Never>)?
    let component = ComponentDescriptor(kind: .presentation, name: P.componentName)
    /// The number of mounts and unmounts. A change of a presentation that has been unmounted renders nothing.
    private var generation = 0

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
    }

    /// The context of the mounted presentation; nil if none is mounted.
    public var context: P.ContextType? {
        mounted?.presentation.context
    }

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
            turn = try beginTurn(.mount)
        } catch {
            throw LifecycleError.waitsForItself(
                component,
                path: error.description,
                remedy: "Mount it when unmount() has returned."
            )
        }
        let context = try await inTurn(turn) { try self.show(input, run) }
        // Not part of the turn: an unmount need not wait for a slow appearance.
        await context.runtime.appear()
        _ = try current(run)
    }

    /// The run with the number `id`, if it has not been shut down. A mount keeps the number and not the run, so a slow
    /// appearance does not keep capabilities alive.
    private func current(_ id: UInt64) throws(CancellationError) -> Orchestrator.Run {
        guard case .running(let run) = orchestrator.life, run.id == id else { throw CancellationError() }
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
        generation += 1
        renderNow()
        return context
    }

    /// Notifies the context that it disappeared, and releases it. Does nothing if nothing is mounted.
    ///
    /// Continues even if the calling task is cancelled. If an unmount of this host is under way and waits for the
    /// caller, this returns at once, because the unmount happens anyway. That is so for a context that unmounts its own
    /// presentation while it disappears, or another presentation whose context waits for it.
    public func unmount() async {
        guard let turn = try? beginTurn(.unmount) else { return }
        // From here on nothing is rendered, although a change may be pending and the turn may come later.
        generation += 1
        await inTurn(turn) { await self.letGo() }
    }

    private func letGo() async {
        guard let last = mounted.take() else { return }
        let runtime = last.presentation.context.runtime
        await runtime.disappear()
        runtime.reportUnmounted()
        last.identity.reportUnmounted()
        orchestrator.remove(last.slot)
    }

    /// Begins a turn after all earlier turns.
    private func beginTurn(_ operation: TurnOperation) throws(WaitCycle) -> TurnID {
        let subject = TurnSubject(operation, of: component)
        return try Turns.begin(subject, after: lastTurn.map { [$0.id] } ?? [], clock: orchestrator.port.clock)
    }

    /// Runs `operation` when all earlier turns have ended, even if the caller is cancelled.
    private func inTurn<R: Sendable, Failure: Error>(
        _ turn: TurnID,
        _ operation: @escaping @MainActor () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        let previous = lastTurn?.task
        let task = Task { () async -> Result<R, Failure> in
            await previous?.value
            return await Turns.run(turn) {
                do throws(Failure) {
                    return .success(try await operation())
                } catch {
                    return .failure(error)
                }
            }
        }
        lastTurn = (turn, Task { _ = await task.value })
        return try await task.value.get()
    }

    /// Renders, and renders again after the next change of the state that the body read.
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
