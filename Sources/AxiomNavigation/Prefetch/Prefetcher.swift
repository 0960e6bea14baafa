// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Loads what a route requires while its screen is made.
///
/// ```swift
/// let prefetcher = try Prefetcher([PrefetchLoader { (key: ProductKey) in try await shop.product(key.id) }])
/// try flow.prefetch(with: prefetcher)
/// let product = try await prefetcher.value(ProductKey(id: 7))
/// ```
///
/// When middleware has passed a request for a route on, the prefetcher loads what ``RouteMetadata/prefetch`` requires, at
/// background priority and within a ``PrefetchBudget``. A load is cancelled when another route is shown and no screen
/// waits for it. A load that fails is counted and has no other effect: the screen then loads the value itself and gets
/// the error of that load.
///
/// A value is handed out once, to the first screen that requests it within its lifetime. Call ``clear()`` when the user
/// signs out, because loaders run for routes that require authentication too.
public final class Prefetcher: Sendable {
    private typealias Machine = PrefetchMachine<PrefetchRequirement>

    /// What a load is shared by: the key, and how often the prefetcher was cleared before.
    private struct Flight: Hashable {
        let requirement: PrefetchRequirement
        let generation: Int
    }

    private struct State {
        var machine: Machine
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var generation = 0
        var signals = PrefetchSignals()
    }

    private let loaders: [ObjectIdentifier: PrefetchLoader]
    private let budget: PrefetchBudget
    private let clock: TimeSource
    /// The loads, which a prefetch and screens share.
    private let flights = SingleFlight<Flight, any Sendable>("Prefetcher")
    /// Locked for one change. Loaders run, and tasks are made and cancelled outside of the lock.
    private let state: Lock<State>

    /// Creates a prefetcher of `loaders`.
    ///
    /// - Parameters:
    ///   - loaders: The loaders, at most one for each type of keys.
    ///   - budget: The limits.
    ///   - clock: The clock.
    /// - Throws: `NavigationError` that lists each limit that is out of range, and each type of keys with two loaders.
    public init(
        _ loaders: [PrefetchLoader],
        budget: PrefetchBudget = PrefetchBudget(),
        clock: TimeSource = .live
    ) throws(NavigationError) {
        let byKey = Dictionary(grouping: loaders) { ObjectIdentifier($0.keyType) }
        let doubles = byKey.values.filter { $0.count > 1 }.map { "\($0[0].keyType) has two loaders" }
        let problems = budget.problems + doubles.sorted()
        guard problems.isEmpty else { throw .prefetch(problems.joined(separator: "; ")) }
        self.loaders = byKey.compactMapValues(\.first)
        self.budget = budget
        self.clock = clock
        state = Lock(State(machine: Machine(budget)))
    }

    deinit {
        for task in state.withLock({ $0.tasks.values.map(\.self) }) { task.cancel() }
    }

    /// The loads since the start.
    public var counts: PrefetchCounts { state.withLock { $0.machine.counts } }

    /// The number of loaders that run, including cancelled ones that have not returned.
    package var running: Int { state.withLock { $0.machine.running } }

    /// The number of screens that wait for a prefetch.
    package var waiters: Int { state.withLock { $0.machine.waiters } }

    /// Returns the value of `key` that was prefetched, waits for it if it is being prefetched, or else loads it now.
    ///
    /// The wait ends when the loader returns or the calling task is cancelled. Screens that load the same value at the
    /// same time share one load.
    ///
    /// - Throws: `NavigationError` if there is no loader for keys of this type; the error of the loader;
    ///   `CancellationError`.
    public func value<K: PrefetchKey>(_ key: K) async throws -> K.Value {
        guard let loader = loaders[ObjectIdentifier(K.self)] else {
            let known = loaders.values.map { "\($0.keyType)" }.sorted().joined(separator: ", ")
            throw NavigationError.prefetch("it has no loader for \(K.self), only for \(known.isEmpty ? "none" : known)")
        }
        let value = try await value(of: PrefetchRequirement(key), loader)
        guard let value = value as? K.Value else {
            throw NavigationError.prefetch("the value of \(key) is no \(K.Value.self)")
        }
        return value
    }

    /// Drops every value and cancels every prefetch. Call it when the user signs out.
    public func clear() {
        change { state in
            state.generation += 1
            state.machine.clear()
        }
    }

    /// What `routes` require and has no loader, one sentence each.
    func problems<R: Route>(_ routes: [R]) -> [String] {
        routes.flatMap { route in
            route.metadata.prefetch.map { type(of: $0.key) }.filter { loaders[ObjectIdentifier($0)] == nil }
                .map { "the route \(route.identifier) requires \($0), which has no loader" }
        }
    }

    /// Binds the signals of routes with these identifiers. The flow calls it once.
    package func bind(flow: String, identifiers: Set<String>, _ bind: SignalBinder) {
        let signals = PrefetchSignals(flow: flow, identifiers: identifiers, bind)
        state.withLock { $0.signals = signals }
    }

    /// Starts to load what `route` requires. The flow calls it when middleware has passed a request for the route on,
    /// and for each other way to the route.
    ///
    /// - Parameter isNew: Whether its screen will be made. Otherwise only the loads of other routes are cancelled.
    package func approaching(_ route: some Route, isNew: Bool = true) {
        let (requirements, identifier, now) = (route.metadata.prefetch, route.identifier, clock.now)
        change { $0.machine.show(requirements, of: identifier, isNew: isNew, at: now) }
    }

    // MARK: - Loads

    private func value(of requirement: PrefetchRequirement, _ loader: PrefetchLoader) async throws -> any Sendable {
        let now = clock.now
        switch change({ $0.machine.ask(requirement, at: now) }) {
        case .value(let value): return value
        case .absent: return try await load(requirement, loader)
        case .loading(let start): return try await join(start, loader)
        }
    }

    /// Shares the load of a prefetch, and loads the value again if that fails. A loader that waits for itself fails here
    /// twice, and does not leave: its load fails with it.
    private func join(_ start: Machine.Start, _ loader: PrefetchLoader) async throws -> any Sendable {
        do {
            let value = try await load(start.key, loader)
            let now = clock.now
            change { state in _ = state.machine.take(start.key, of: start.id, at: now) }
            return value
        } catch {
            guard Task.isCancelled else { return try await load(start.key, loader) }
            change { $0.machine.leave(start) }
            throw error
        }
    }

    /// Shares the load of the value, or begins it.
    private func load(_ requirement: PrefetchRequirement, _ loader: PrefetchLoader) async throws -> any Sendable {
        let flight = Flight(requirement: requirement, generation: state.withLock { $0.generation })
        return try await flights.value(for: flight) { [self] in
            // A prefetch may have ended since the screen was told to load.
            let now = clock.now
            if let value = change({ $0.machine.take(requirement, at: now) }) { return value }
            return try await loader.load(requirement.key)
        }
    }

    /// Makes one change under the lock, and then carries out its effects.
    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, effects, tasks, signals, generation) = state.withLock { state in
            let result = body(&state)
            let effects = state.machine.takeEffects()
            return (result, effects, effects.cancels.compactMap { state.tasks[$0] }, state.signals, state.generation)
        }
        for task in tasks { task.cancel() }
        for (outcome, identifier) in effects.outcomes { signals.record(outcome, identifier) }
        for start in effects.starts { begin(start, generation) }
        return result
    }

    /// Runs a prefetch in a task of its own, which inherits nothing from the navigation.
    private func begin(_ start: Machine.Start, _ generation: Int) {
        guard let loader = loaders[ObjectIdentifier(type(of: start.key.key))] else {
            return change { state in
                state.machine.failed(start)
                state.machine.returned(start)
            }
        }
        let flight = Flight(requirement: start.key, generation: generation)
        let task = Task.detached(executorPreference: inheritedExecutor, priority: .background) {
            [weak self, flights, clock, limit = budget.timeLimit] in
            let timer = Task(executorPreference: inheritedExecutor) { [weak self] in
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                self?.change { $0.machine.expire(start) }
            }
            let hasBegun = Lock(false)
            _ = try? await flights.value(for: flight) { [weak self] in
                hasBegun.withLock { $0 = true }
                defer { self?.change { $0.machine.returned(start) } }
                do {
                    try Task.checkCancellation()
                    let value = try await loader.load(start.key.key)
                    let now = clock.now
                    self?.change { $0.machine.loaded(start, value, at: now) }
                    return value
                } catch {
                    self?.change { $0.machine.failed(start) }
                    throw error
                }
            }
            timer.cancel()
            self?.end(start, hasBegun: hasBegun.withLock { $0 })
        }
        let isAwaited = state.withLock { state in
            state.tasks[start.id] = state.machine.isAwaited(start) ? task : nil
            return state.machine.isAwaited(start)
        }
        if !isAwaited { task.cancel() }
    }

    private func end(_ start: Machine.Start, hasBegun: Bool) {
        change { state in
            state.tasks[start.id] = nil
            state.machine.ended(start)
            if !hasBegun { state.machine.returned(start) }
        }
    }
}
