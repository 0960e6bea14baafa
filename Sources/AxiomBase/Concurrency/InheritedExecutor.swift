// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A task executor that the tasks which Axiom begins inherit.
///
/// A task executor preference covers child tasks and actors, but neither `Task { }` nor `Task.detached { }`. A test that
/// runs code on an executor of its own needs these tasks there too. Therefore Axiom begins each task in one of these
/// ways, and a test checks it:
///
/// ```swift
/// Task(executorPreference: inheritedExecutor) { }           // where nothing is isolated
/// Task.detached(executorPreference: inheritedExecutor) { }
/// Task.onMainActor { }                                      // where the closure runs on the main actor
/// ```
/// The first one would cost an isolated closure a detour: it begins on the global executor and only then goes to its actor.
/// An executor that does not conform is not inherited.
package protocol InheritedExecutor: TaskExecutor {
    /// Keeps the description of a wait, for a report about tasks that cannot go on.
    ///
    /// - Parameter description: Returns nil when the wait is over. Called at any time, on any thread.
    func waitBegan(_ description: @escaping @Sendable () -> String?)
}

/// The number of executors that tasks can inherit. Zero in an application.
private let inheritedExecutors = Atomic(0)

/// Counts an executor that tasks inherit, as long as this value lives. Each executor stores one.
package final class InheritedExecutorCount: Sendable {
    package init() { inheritedExecutors.add(1, ordering: .relaxed) }
    deinit { inheritedExecutors.subtract(1, ordering: .relaxed) }
}

/// The executor that a new task inherits from the current one; nil in production.
///
/// An application pays for one load of a global number, which is zero. No ordering is needed: an executor is counted
/// before the first task that prefers it exists.
package var inheritedExecutor: (any InheritedExecutor)? {
    guard inheritedExecutors.load(ordering: .relaxed) > 0 else { return nil }
    return preferredExecutor
}

@inline(never)
private var preferredExecutor: (any InheritedExecutor)? {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else { return nil }
    guard let preferred = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return nil }
    return preferred.asTaskExecutor() as? any InheritedExecutor
}

extension Task where Failure == Never {
    /// Begins a task on the main actor, which inherits the executor of the current task for what it does elsewhere.
    ///
    /// As `Task { @MainActor in }`, it takes its place in the order of the main actor at once.
    @discardableResult
    package static func onMainActor(
        priority: TaskPriority? = nil,
        @_implicitSelfCapture _ operation: @escaping @MainActor () async -> Success
    ) -> Task {
        guard let executor = inheritedExecutor else { return Task(priority: priority, operation: operation) }
        return Task(priority: priority) { @MainActor in
            await withTaskExecutorPreference(executor) { await operation() }
        }
    }
}

extension Task where Failure == any Error {
    /// Begins a task on the main actor that can fail; see the overload that cannot.
    @discardableResult
    package static func onMainActor(
        priority: TaskPriority? = nil,
        @_implicitSelfCapture _ operation: @escaping @MainActor () async throws -> Success
    ) -> Task {
        guard let executor = inheritedExecutor else { return Task(priority: priority, operation: operation) }
        return Task(priority: priority) { @MainActor in
            try await withTaskExecutorPreference(executor) { try await operation() }
        }
    }
}
