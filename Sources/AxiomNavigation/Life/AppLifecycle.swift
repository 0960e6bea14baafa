// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Observation

/// The life of an application: its phase, what is done on the way to another phase, and its state between two runs.
///
/// ```swift
/// let lifecycle = try AppLifecycle(orchestrator, archive: StorageArchive(storage)) { try await host.mount() }
/// await lifecycle.move(to: .active)        // launches: shows the first screen and restores the state
/// await lifecycle.move(to: .background)    // notifies the contexts, saves the state, gives memory back
/// ```
/// | on the way | what is done |
/// | --- | --- |
/// | from launching to active | loads the image, calls `launch`, restores stacks and contexts |
/// | from inactive to background | notifies the contexts, saves the image, gives memory back |
/// | from background to inactive | checks the capabilities again and notifies the contexts |
/// | to terminating | shuts the orchestrator down |
///
/// Deep links that arrive before the launch has ended wait for it, so that the restored history does not replace them.
///
/// The state is restored at the launch only: a process that was not ended still has it. Errors of contexts end at their
/// own boundaries, all others at ``Orchestrator/errorBoundary``.
@MainActor
@Observable
public final class AppLifecycle {
    /// What a change of phase consists of.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The image is loaded.
        case load
        /// One context takes over its image.
        case restore
        /// The archive notes that the launch became active.
        case confirm
        /// The contexts are notified of the background.
        case background
        /// The image is saved.
        case save
        /// Memory is given back.
        case release
        /// The capabilities are checked, and the contexts are notified of the foreground.
        case foreground
    }

    /// The phase. It changes when the step to the new phase begins, and after the launch.
    public private(set) var phase = AppPhase.launching
    /// Whether the application has not become active yet in this process.
    public private(set) var isFirstLaunch = true
    /// Whether the launch found a saved state.
    package private(set) var isRestored = false
    /// The saved images that could not be used at the launch.
    public internal(set) var setAside: [SetAsideImage] = []
    /// The steps that did not end within the grace time, and how often.
    public private(set) var overdueSteps: [Step: Int] = [:]

    @ObservationIgnored let orchestrator: Orchestrator
    @ObservationIgnored let archive: (any StateArchive)?
    @ObservationIgnored let grace: Duration
    @ObservationIgnored let launch: @MainActor () async throws -> Void
    @ObservationIgnored let signals: LifeSignals
    /// What the archive found; nil before the first load.
    @ObservationIgnored private(set) var loaded: LoadedState?
    /// The flows whose stacks are saved and restored.
    @ObservationIgnored private(set) var flows: [any RestorableFlow] = []
    /// Keeps the images of screens that a flow ends and makes again.
    @ObservationIgnored private lazy var imaging = ContextImaging(runRestoration)
    @ObservationIgnored private var machine = LifecycleMachine()
    /// Carries out steps until the requested phase is reached.
    @ObservationIgnored private var walk: (turn: TurnID, task: Task<Void, Never>)?
    /// The step under way.
    @ObservationIgnored private var work: Task<LifecycleMachine.Ending, Never>?

    /// Creates the life cycle of an application, in the phase ``AppPhase/launching``.
    ///
    /// - Parameters:
    ///   - orchestrator: The orchestrator of the application. It runs before the first ``move(to:)``.
    ///   - archive: Where the state is kept between two runs; nil for nowhere.
    ///   - grace: How long each change of phase may take, and each step of the launch. iOS gives an application 5 s.
    ///     Longer than zero.
    ///   - launch: Mounts the first presentations, or shows the first route. It has no limit, because nothing can be
    ///     shown before it, and each mount has its own; see ``WaitLimits``.
    /// - Throws: ``CompositionError`` if `grace` is not longer than zero.
    public init(
        _ orchestrator: Orchestrator,
        archive: (any StateArchive)? = nil,
        grace: Duration = .seconds(5),
        launch: @escaping @MainActor () async throws -> Void = {}
    ) throws(CompositionError) {
        guard grace > .zero else { throw .invalidLimit("AppLifecycle(grace:)", grace) }
        self.orchestrator = orchestrator
        self.archive = archive
        self.grace = grace
        self.launch = launch
        signals = LifeSignals(orchestrator)
        LaunchGate.of(orchestrator).launch = self
    }

    /// Saves the stack of `flow` with the state, and restores it at the launch, which otherwise shows its first route.
    /// Call it before the launch. A second flow with the same name replaces the first.
    ///
    /// The screens of a ``NavigationFlow`` also keep their images while they are not live.
    public func preserve(_ flow: any RestorableFlow) {
        flows.removeAll { $0.restorationName == flow.restorationName }
        flows.append(flow)
        (flow as? any ImagedFlow)?.imaging = imaging
    }

    /// Changes the phase, passing through those between, and returns when no request is left.
    ///
    /// A newer request replaces this one: the tasks of a step that does not lead to its phase are cancelled. Nothing
    /// returns to ``AppPhase/launching``, and nothing follows ``AppPhase/terminating``. If the launch fails, the phase
    /// stays ``AppPhase/launching``, and a later call tries again.
    ///
    /// Continues even if the calling task is cancelled. A call from within a step, such as from an `onBackground()`,
    /// returns at once: the change follows when the step has ended.
    public func move(to phase: AppPhase) async {
        switch machine.request(phase) {
        case .ignored: break
        case .cut: work?.cancel()
        case .accepted where walk == nil: return await begin()
        case .accepted: break
        }
        guard let walk else { return }
        try? await Turns.wait(for: walk.turn) { await walk.task.value }
    }

    private func begin() async {
        let turn = Turns.begin(TurnSubject(.change, of: orchestrator.component), clock: orchestrator.clock)
        let task = Task.onMainActor { await Turns.run(turn) { await takeSteps() } }
        walk = (turn, task)
        await task.value
    }

    /// Nothing suspends between the end of the last step and the end of the walk, so no request is lost.
    private func takeSteps() async {
        while let step = machine.begin() {
            let start = orchestrator.clock.now
            if step.from != .launching { show(step.to) }
            let work = Task.onMainActor { await take(step) }
            self.work = work
            machine.end(await work.value)
            self.work = nil
            show(machine.phase)
            signals.stepped(to: step.to, nanoseconds: orchestrator.clock.now.nanoseconds(since: start))
        }
        walk = nil
    }

    private func show(_ phase: AppPhase) {
        guard self.phase != phase else { return }
        self.phase = phase
        signals.show(phase)
        if phase == .active { isFirstLaunch = false }
        LaunchGate.of(orchestrator).update()
    }

    /// Runs a step for at most `limit`. A step that takes longer is cancelled, counted, and no longer awaited.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/phaseStepOverdue``; the error of `body`.
    func within<R: Sendable>(
        _ limit: Duration,
        _ step: Step,
        _ body: @escaping @MainActor @Sendable () async throws -> R
    ) async throws -> R {
        let component = orchestrator.component
        let subject = TurnSubject(.change, of: component)
        do {
            return try await withLimit(WaitLimit(subject, name: "", limit, clock: orchestrator.clock), body)
        } catch let error as LifecycleError where error.code == .limitExpired && error.origin == component {
            overdueSteps[step, default: 0] += 1
            signals.overdue(step)
            throw LifecycleError.overdue(step, after: limit)
        }
    }

    /// Runs a step for at most `limit`, and ends its error at the orchestrator.
    func attempt(
        _ step: Step,
        _ limit: Duration,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async {
        do {
            try await within(limit, step, body)
        } catch {
            await orchestrator.report(error)
        }
    }

    func found(_ state: LoadedState) {
        loaded = state
        isRestored = state.image != nil
        setAside += state.setAside
    }
}

extension AppLifecycle: ApplicationLaunch {
    var isLaunching: Bool { phase == .launching }
    var launchTurn: TurnID? { isLaunching ? walk?.turn : nil }
}

extension LifecycleError {
    static func overdue(_ step: AppLifecycle.Step, after limit: Duration) -> Self {
        LifecycleError(
            .phaseStepOverdue,
            "The step \(step.rawValue) of a change of the application's phase did not end within \(limit)."
                + " It was cancelled and is no longer awaited."
        )
    }
}
