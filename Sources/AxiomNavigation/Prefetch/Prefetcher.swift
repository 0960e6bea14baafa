// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Loads the data of routes that are likely next, before the user requests them.
///
/// ```swift
/// let prefetcher = try Prefetcher(loaders)
/// flow.prefetch(with: prefetcher)
/// let product: Product = try await prefetcher.value("product", for: .product(7))
/// ```
///
/// After each arrival, the ``RoutePredictor`` names the three likeliest next routes, and the prefetcher loads what they
/// require, by ``RouteMetadata/prefetch``. It loads at background priority and within a ``PrefetchBudget``. A value has one
/// load at a time. A load is cancelled when its route is no longer likely. A load that fails is counted and has no other
/// effect: the screen then loads the value itself and gets the error of that load.
///
/// A value is handed out once, to the first screen that requests it within its lifetime. Call ``clear()`` when the user
/// signs out, because loaders run for routes that require authentication too.
public final class Prefetcher<R: Route>: Sendable {
    typealias Waiter = OneShot<(any Sendable)?>
    typealias Machine = PrefetchMachine<PrefetchKey<R>, Waiter>

    struct State {
        var machine: Machine
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var predictor: RoutePredictor<R>
        var current: R?
        /// What the likeliest next routes require.
        var likely: [Machine.Wish] = []
        var signals = PrefetchSignals()
    }

    let loaders: [String: PrefetchLoader<R>]
    let budget: PrefetchBudget
    let clock: TimeSource
    /// The loads of screens. Prefetches are not among them.
    let flights = SingleFlight<PrefetchKey<R>, any Sendable>("Prefetcher")
    /// Locked for one change. Loaders run, tasks are made and cancelled, and waiters are resumed outside of the lock.
    let state: Lock<State>

    /// Creates a prefetcher of `loaders`.
    ///
    /// - Parameters:
    ///   - loaders: The loaders, at most one for each name.
    ///   - budget: The limits.
    ///   - predictor: What earlier runs of the application have learned; by default nothing.
    ///   - clock: The clock.
    /// - Throws: `NavigationError` that lists each limit that is out of range, each name that has two loaders, and each
    ///   requirement of a sample without a loader.
    public init(
        _ loaders: [PrefetchLoader<R>],
        budget: PrefetchBudget = PrefetchBudget(),
        predictor: RoutePredictor<R> = RoutePredictor(),
        clock: TimeSource = .live
    ) throws(NavigationError) {
        let problems = budget.problems + Self.problems(loaders)
        guard problems.isEmpty else { throw .prefetch(problems.joined(separator: "; ")) }
        self.loaders = Dictionary(loaders.map { ($0.name, $0) }) { first, _ in first }
        self.budget = budget
        self.clock = clock
        state = Lock(State(machine: Machine(budget), predictor: predictor))
    }

    deinit {
        for task in state.withLock({ $0.tasks.values.map(\.self) }) { task.cancel() }
    }

    /// What the predictor has learned, to be stored if `R` is `Codable`.
    public var predictor: RoutePredictor<R> { state.withLock { $0.predictor } }

    /// The loads since the start.
    public var counts: PrefetchCounts { state.withLock { $0.machine.counts } }

    /// The number of loaders that run, including cancelled ones that have not returned.
    package var running: Int { state.withLock { $0.machine.running } }

    /// The number of screens that wait for a prefetch.
    package var waiters: Int { state.withLock { $0.machine.waiters } }

    /// Returns the value that was prefetched for `route`, waits for it if it is being prefetched, or else loads it now.
    ///
    /// The wait ends when the loader returns or the calling task is cancelled. Screens that load the same value at the
    /// same time share one load.
    ///
    /// - Parameters:
    ///   - name: The name of the loader.
    ///   - route: The route that is shown.
    /// - Throws: `NavigationError` if there is no loader of that name or its value is no `V`; the error of the loader;
    ///   `CancellationError`.
    public func value<V: Sendable>(_ name: String, for route: R, as type: V.Type = V.self) async throws -> V {
        guard let loader = loaders[name] else {
            let known = loaders.keys.sorted().joined(separator: ", ")
            throw NavigationError.prefetch("it has no loader \(name), only \(known.isEmpty ? "none" : known)")
        }
        let key = loader.key(for: route)
        let found = try await prefetched(key)
        let value = if let found { found } else { try await loadNow(key, loader) }
        guard let value = value as? V else {
            throw NavigationError.prefetch("the loader \(name) returns \(loader.valueType), not \(V.self)")
        }
        return value
    }

    /// Drops every value and cancels every prefetch. Call it when the user signs out.
    public func clear() {
        carryOut { state in
            state.likely = []
            return state.machine.clear()
        }
    }

    /// Binds the signals. The flow calls it once.
    package func bind(flow: String, _ bind: SignalBinder) {
        let identifiers = Set(R.samples.filter { !$0.metadata.prefetch.isEmpty }.map(\.identifier))
        let signals = PrefetchSignals(flow: flow, identifiers: identifiers, bind)
        state.withLock { $0.signals = signals }
    }

    /// Starts to load what `route` requires. The flow calls it when middleware has passed a request for the route on,
    /// before the screen is made.
    package func approaching(_ route: R) {
        let (wishes, now) = (wishes(for: route), clock.now)
        carryOut { $0.machine.want(wishes + $0.likely, at: now) }
    }

    /// Learns that the user reached `route`, and starts to load what the likeliest next routes require. The flow calls it
    /// after each transition, back navigation included. Returns at once.
    ///
    /// Restorations and recoveries teach nothing, because they do not show what the user does.
    package func arrived(at route: R, source: NavigationSource = .user) {
        let isTeaching = source != .restoration && source != .recovery
        let predictions = state.withLock { state in
            if let previous = state.current, isTeaching { state.predictor.observe(from: previous, to: route) }
            state.current = route
            return state.predictor.predictions(after: route)
        }
        let likely = predictions.flatMap(wishes)
        let (own, now) = (Set(wishes(for: route).map(\.key)), clock.now)
        carryOut { state in
            state.likely = likely
            return state.machine.want(likely, keeping: own, at: now)
        }
    }

    /// Drops everything, because no screen is shown any more. What was learned remains.
    package func flowEnded() {
        state.withLock { $0.current = nil }
        clear()
    }

    /// What `route` requires and has a loader.
    private func wishes(for route: R) -> [Machine.Wish] {
        let identifier = route.identifier
        return route.metadata.prefetch.compactMap { requirement in
            loaders[requirement.name].map { Machine.Wish(key: $0.key(for: route), identifier: identifier) }
        }
    }
}
