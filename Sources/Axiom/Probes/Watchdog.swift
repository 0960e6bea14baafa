// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// An action of a client that has run longer than ``WaitLimits/overdue`` without waiting for a capability.
public struct OverdueAction: Sendable, Hashable {
    /// The client.
    public let client: ComponentDescriptor
    /// The name of the action's case.
    public let action: String
    /// How long the action has run, without the time in which it waited for capabilities.
    public let duration: Duration
}

/// Names the actions of clients that run too long.
///
/// One task looks every 100 ms at the start times of the actions under way. An action has no timer of its own.
final class Watchdog: Sendable {
    static let interval = Duration.milliseconds(100)

    private struct State {
        var watches: [CallWatch] = []
        var ticker: Task<Void, Never>?
    }

    private let limit: Duration
    private let clock: TimeSource
    private let state = Lock(State())

    init(limit: Duration, clock: TimeSource) {
        self.limit = limit
        self.clock = clock
    }

    deinit { state.withLock { $0.ticker }?.cancel() }

    /// Watches the actions of a client from now on, until ``stop()``.
    ///
    /// - Parameters:
    ///   - bindsCalls: Whether the client can wait for capabilities.
    ///   - signal: Binds the signals of the client.
    func watch(
        _ client: ComponentDescriptor,
        actions: [String],
        bindsCalls: Bool,
        _ signal: @escaping CallWatch.SignalSource
    ) -> CallWatch {
        let watch = CallWatch(client, actions: actions, bindsCalls: bindsCalls, clock: clock, signal)
        state.withLock { $0.watches.append(watch) }
        return watch
    }

    /// Begins to look at the watched clients.
    func start() {
        let ticker = Task.detached(executorPreference: inheritedExecutor) { [clock, weak self] in
            while (try? await clock.sleep(for: Self.interval)) != nil, let watchdog = self { watchdog.look() }
        }
        state.withLock { state in
            let previous = state.ticker
            state.ticker = ticker
            return previous
        }?.cancel()
    }

    /// Ends the watch of all clients.
    func stop() {
        let (watches, ticker) = state.withLock { state in
            defer { state = State() }
            return (state.watches, state.ticker)
        }
        ticker?.cancel()
        for watch in watches { watch.stop() }
    }

    /// The actions that are overdue now, by client.
    var overdue: [OverdueAction] {
        let now = clock.now
        return state.withLock { $0.watches }.flatMap { $0.overdue(at: now, limit: limit) }
    }

    private func look() {
        let now = clock.now
        for watch in state.withLock({ $0.watches }) { watch.look(at: now, limit: limit) }
    }
}

/// The watch of one client's actions.
final class CallWatch: Sendable {
    /// Binds a signal; returns nil if nothing records it.
    typealias SignalSource = @Sendable (SignalFamily, [String]) -> (any Signal)?

    private struct State {
        var table = OverdueTable()
        /// By the index of the action's case. Bound when an action is overdue for the first time.
        var totals: [Int: any Signal] = [:]
    }

    private let client: ComponentDescriptor
    private let actions: [String]
    private let bindsCalls: Bool
    private let clock: TimeSource
    private let signal: SignalSource
    private let gauge: (any Signal)?
    /// Not held while a signal is bound or recorded.
    private let state = Lock(State())

    fileprivate init(
        _ client: ComponentDescriptor,
        actions: [String],
        bindsCalls: Bool,
        clock: TimeSource,
        _ signal: @escaping SignalSource
    ) {
        self.client = client
        self.actions = actions
        self.bindsCalls = bindsCalls
        self.clock = clock
        self.signal = signal
        gauge = signal(ConcurrencySignals.overdue, [client.name])
        gauge?.set(0)
    }

    /// Runs `body` as an action of the client.
    ///
    /// - Parameter action: The index of the action's case.
    nonisolated(nonsending) func run<R>(
        _ action: Int,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let start = clock.now
        guard let slot = state.withLock({ $0.table.begin(action: action, at: start) }) else { return try await body() }
        defer { state.withLock { $0.table.end(slot) } }
        guard bindsCalls else { return try await body() }
        return try await WatchedCall.$current.bind(WatchedCall(watch: self, slot: slot), body)
    }

    fileprivate func beginWait(_ slot: OverdueTable.Slot) {
        let now = clock.now
        state.withLock { $0.table.beginWait(slot, at: now) }
    }

    fileprivate func endWait(_ slot: OverdueTable.Slot) {
        let now = clock.now
        state.withLock { $0.table.endWait(slot, at: now) }
    }

    fileprivate func overdue(at now: Instant, limit: Duration) -> [OverdueAction] {
        // A copy, so that the calls still count as new in the next look.
        var table = state.withLock { $0.table }
        return table.scan(at: now, limit: limit).map { call in
            OverdueAction(client: client, action: name(of: call.action), duration: .nanoseconds(call.nanoseconds))
        }
    }

    fileprivate func look(at now: Instant, limit: Duration) {
        let overdue = state.withLock { $0.table.scan(at: now, limit: limit) }
        gauge?.set(Double(overdue.count))
        for call in overdue where call.isNew { total(of: call.action)?.increment() }
    }

    fileprivate func stop() { gauge?.set(0) }

    /// Called by the ticker only, so a signal is bound once.
    private func total(of action: Int) -> (any Signal)? {
        let index = actions.indices.contains(action) ? action : -1
        if let known = state.withLock({ $0.totals[index] }) { return known }
        let total = signal(ConcurrencySignals.overdueTotal, [client.name, name(of: action)])
        state.withLock { $0.totals[index] = total }
        return total
    }

    private func name(of action: Int) -> String { actions.indices.contains(action) ? actions[action] : "other" }
}

/// The watched action that the task performs, for waits inside of it.
struct WatchedCall: Sendable {
    @TaskLocal static var current: WatchedCall?

    fileprivate let watch: CallWatch
    fileprivate let slot: OverdueTable.Slot

    func beginWait() { watch.beginWait(slot) }

    func endWait() { watch.endWait(slot) }
}

/// The signals about calls and waits that last too long.
enum ConcurrencySignals {
    static let overdue = SignalFamily(
        "axiom_client_actions_overdue",
        .gauge,
        help: "Actions of a client that have run longer than the limit of the watchdog, waits for capabilities aside.",
        labels: ["client"]
    )
    static let overdueTotal = SignalFamily(
        "axiom_client_overdue_total",
        .counter,
        help: "Actions of a client that ran longer than the limit of the watchdog, waits for capabilities aside.",
        labels: ["client", "action"]
    )
    static let deadlocks = SignalFamily(
        "axiom_deadlocks_total",
        .counter,
        help: "Operations that were refused because they would have waited for themselves, by component.",
        labels: ["component"]
    )
    static let shutdownOverdue = SignalFamily(
        "axiom_shutdown_overdue_total",
        .counter,
        help: "Steps of a shutdown that exceeded their limit, by component.",
        labels: ["component"]
    )
}
