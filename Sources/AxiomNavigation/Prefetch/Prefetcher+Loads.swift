// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience

extension Prefetcher {
    /// The value of `key` if it was prefetched or is being prefetched; nil if the screen has to load it.
    ///
    /// A loader that requests another value never waits for a prefetch, so two loaders cannot wait for each other here.
    func prefetched(_ key: PrefetchKey<R>) async throws -> (any Sendable)? {
        guard !PrefetchTask.isCurrent else { return nil }
        let waiter = Waiter()
        let now = clock.now
        var answer = Machine.Answer.absent
        carryOut { state in
            let effects: Machine.Effects
            (answer, effects) = state.machine.ask(key, waiter, at: now)
            return effects
        }
        switch answer {
        case .absent: return nil
        case .value(let value): return value
        case .wait:
            escalate(key)
            let value = await waiter.value(ifCancelled: nil)
            if value == nil, Task.isCancelled {
                carryOut { $0.machine.leave(key, waiter) }
                throw CancellationError()
            }
            return value
        }
    }

    /// Loads the value for a screen. Screens that do so at the same time share one load.
    func loadNow(_ key: PrefetchKey<R>, _ loader: PrefetchLoader<R>) async throws -> any Sendable {
        state.withLock { $0.machine.beginDirectLoad(key) }
        defer { state.withLock { $0.machine.endDirectLoad(key) } }
        return try await flights.value(for: key) { try await loader.load(key) }
    }

    /// Makes one change under the lock, and then carries out its effects.
    func carryOut(_ change: (inout State) -> Machine.Effects) {
        let (effects, tasks, signals) = state.withLock { state in
            let effects = change(&state)
            return (effects, effects.cancels.compactMap { state.tasks[$0] }, state.signals)
        }
        for task in tasks { task.cancel() }
        for (outcome, identifier) in effects.outcomes { signals.record(outcome, identifier) }
        for (waiter, value) in effects.settled { waiter.settle(value) }
        for start in effects.starts { begin(start) }
    }

    /// Raises the priority of the load for which a screen waits, if the system supports it.
    private func escalate(_ key: PrefetchKey<R>) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let task = state.withLock { state in state.machine.load(for: key).flatMap { state.tasks[$0] } }
        task?.escalatePriority(to: Task.currentPriority)
    }

    /// Runs the loader of a load in a task of its own, which inherits nothing from the navigation.
    private func begin(_ start: Machine.Start) {
        guard let loader = loaders[start.key.name] else { return }
        let (clock, limit) = (clock, budget.timeLimit)
        let task = Task.detached(executorPreference: inheritedExecutor, priority: .background) { [weak self] in
            let timer = Task(executorPreference: inheritedExecutor) {
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                self?.carryOut { $0.machine.expire(start) }
            }
            let value = await PrefetchTask.$isCurrent.withValue(true) {
                Task.isCancelled ? nil : try? await loader.load(start.key)
            }
            timer.cancel()
            self?.end(start, value)
        }
        let isCancelled = state.withLock { state in
            let (runs, isAwaited) = state.machine.status(of: start)
            if runs { state.tasks[start.id] = task }
            return runs && !isAwaited
        }
        if isCancelled { task.cancel() }
    }

    private func end(_ start: Machine.Start, _ value: (any Sendable)?) {
        let now = clock.now
        carryOut { state in
            state.tasks[start.id] = nil
            return state.machine.end(start, value, at: now)
        }
    }

    /// What is wrong with loaders, and which requirements of samples have none.
    static func problems(_ loaders: [PrefetchLoader<R>]) -> [String] {
        var names: Set<String> = []
        let duplicates = loaders.map(\.name).filter { !names.insert($0).inserted }
        let missing = R.samples.flatMap { sample in
            sample.metadata.prefetch.map(\.name).filter { !names.contains($0) }.map { (sample.identifier, $0) }
        }
        return Set(duplicates).sorted().map { "\($0) has two loaders" }
            + missing.map { "the route \($0) requires \($1), which has no loader" }
    }
}

/// Marks the tasks of prefetches.
enum PrefetchTask {
    /// Whether the current task runs a loader for a prefetch.
    @TaskLocal static var isCurrent = false
}
