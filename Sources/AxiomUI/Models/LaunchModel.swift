// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import AxiomNavigation
public import Observation

/// The activity of a scene, as the system of its windows reports it.
public enum SceneActivity: String, Sendable, Hashable, CaseIterable {
    /// The scene is shown and receives input.
    case active
    /// The scene is shown and receives no input.
    case inactive
    /// The scene is not shown.
    case background

    /// The phase of the application that follows.
    package var phase: AppPhase {
        switch self {
        case .active: .active
        case .inactive: .inactive
        case .background: .background
        }
    }
}

/// The launch of an application, and the phases that its scene goes through.
@MainActor
@Observable
public final class LaunchModel {
    /// What a launch view shows.
    public enum State: Sendable, Hashable {
        /// The application is being launched.
        case launching
        /// The launch failed. The only option is to try again: call ``LaunchModel/retry()``.
        case failed(ErrorPresentation)
        /// The application runs.
        case running
    }

    @ObservationIgnored private let orchestrator: Orchestrator
    @ObservationIgnored private let lifecycle: AppLifecycle
    @ObservationIgnored private let labels: ErrorLabels
    /// The latest one.
    @ObservationIgnored private var activity = SceneActivity.active
    /// How many changes of phase are under way.
    private var moves = 0
    /// The start of the orchestrator, while it is under way.
    @ObservationIgnored private var starting: Task<Void, any Error>?
    /// Why `start()` of the orchestrator failed.
    private var startError: (any Error)?

    /// Creates the launch of an application that has not started.
    ///
    /// - Parameters:
    ///   - orchestrator: Is started at the launch, unless it runs already.
    ///   - lifecycle: Follows the activity of the scene.
    ///   - labels: The words of an error of the launch.
    public init(_ orchestrator: Orchestrator, _ lifecycle: AppLifecycle, labels: ErrorLabels = .fallback) {
        self.orchestrator = orchestrator
        self.lifecycle = lifecycle
        self.labels = labels
    }

    /// What a launch view shows.
    public var state: State {
        guard lifecycle.phase == .launching else { return .running }
        guard moves == 0, let error = startError ?? orchestrator.errorBoundary.current?.error else { return .launching }
        return .failed(ErrorPresentation(error, options: [.retry()], labels: labels))
    }

    /// The scene has another activity. The first time, this launches the application.
    public func scene(is activity: SceneActivity) async {
        self.activity = activity
        moves += 1
        defer { moves -= 1 }
        do {
            if lifecycle.phase == .launching { try await start() }
            startError = nil
        } catch {
            startError = error
            return
        }
        // The latest one: calls that waited for the start go on in any order.
        await lifecycle.move(to: self.activity.phase)
    }

    /// Starts the orchestrator once, even if the activity changes before it has started.
    private func start() async throws {
        guard !orchestrator.isRunning else { return }
        if let starting { return try await starting.value }
        let task = Task.onMainActor { [orchestrator] in try await orchestrator.start() }
        starting = task
        defer { starting = nil }
        try await task.value
    }

    /// Tries a failed launch again.
    public func retry() async {
        orchestrator.errorBoundary.dismiss()
        await scene(is: activity)
    }
}
