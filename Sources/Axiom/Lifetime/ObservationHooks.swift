// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A client that is costly to keep current, such as one that polls a server, and works only while it is observed.
///
/// ```swift
/// extension PriceClient: ObservationAwareClient {
///     func whenObserved() async throws { try await feed.connect() }
///     func whenUnobserved() async { await feed.disconnect() }
/// }
/// ```
/// The first subscriber of the client's ``Client/stateStream`` leads to a call of ``whenObserved()``, and the end of
/// the last one to a call of ``whenUnobserved()``. The two alternate. They never run concurrently, unless one has
/// exceeded its limit and ignores its cancellation, and come after
/// ``StatelessClient/activate()`` and before ``StatelessClient/deactivate()``. A client that is observed when the
/// application shuts down is unobserved first.
///
/// The framework decides about a call in a turn of the main actor of its own. If the last subscriber leaves and another
/// one comes in one turn, there is no call. If the observation changes while a call is under way, the next call follows
/// it, if it is still necessary.
public protocol ObservationAwareClient: Client {
    /// The client is observed from now on. Its limit is ``WaitLimits/activation``.
    ///
    /// - Throws: Any error. It ends at the orchestrator's ``Orchestrator/errorBoundary``. The client counts as observed:
    ///   ``whenUnobserved()`` follows.
    func whenObserved() async throws

    /// The client is no longer observed. Its limit is ``WaitLimits/deactivation``.
    func whenUnobserved() async
}

/// When to call the hooks of a client, as a pure state machine. It compares the presence of subscribers with what the
/// client was last notified of.
struct ObservationDemand: Sendable {
    enum Call: Hashable, Sendable {
        case observed
        case unobserved
    }

    private enum Phase {
        /// The client is not active yet.
        case waiting
        case open
        /// The client is about to be deactivated: it counts as unobserved.
        case closed
    }

    private var phase = Phase.waiting
    private var hasSubscribers = false
    private var isNotified = false
    /// Whether the calls are being made: by one runner at a time.
    private var isRunning = false

    private var isWanted: Bool { phase == .open && hasSubscribers }

    /// The presence of subscribers may have changed. Returns whether a runner has to start.
    mutating func change(hasSubscribers: Bool) -> Bool {
        self.hasSubscribers = hasSubscribers
        return startIfNeeded()
    }

    /// The client was activated. Returns whether a runner has to start.
    mutating func open() -> Bool {
        if phase == .waiting { phase = .open }
        return startIfNeeded()
    }

    /// The client will be deactivated. Returns whether a runner has to start.
    mutating func close() -> Bool {
        phase = .closed
        return startIfNeeded()
    }

    /// The next call of the runner; nil if there is none, and the runner ends.
    mutating func next() -> Call? {
        guard isWanted != isNotified else {
            isRunning = false
            return nil
        }
        isNotified = isWanted
        return isNotified ? .observed : .unobserved
    }

    private mutating func startIfNeeded() -> Bool {
        guard !isRunning, isWanted != isNotified else { return false }
        isRunning = true
        return true
    }
}

/// Calls the hooks of one client.
final class ObservationHooks: SubscriptionHooks, @unchecked Sendable {
    private struct State {
        var demand = ObservationDemand()
        var runner: Task<Void, Never>?
    }

    /// Not held while a hook runs. The lock of the fan-out may be taken inside it, but not the reverse.
    private let state = Lock(State())
    private weak let client: (any ObservationAwareClient)?
    private weak let fanout: StateFanout?
    private let component: ComponentDescriptor
    private let port: InstrumentationPort
    private weak let supervisor: Supervisor?

    init(
        _ client: any ObservationAwareClient,
        _ component: ComponentDescriptor,
        _ fanout: StateFanout,
        _ port: InstrumentationPort,
        _ supervisor: Supervisor?
    ) {
        (self.client, self.component, self.fanout) = (client, component, fanout)
        (self.port, self.supervisor) = (port, supervisor)
    }

    /// The subscriptions of the store have changed. Requires that the caller holds no lock.
    override func subscriptionsChanged() {
        run { $0.change(hasSubscribers: (fanout?.subscriberCount ?? 0) > 0) }
    }

    /// The client was activated.
    func open() { run { $0.open() } }

    /// Ends the observation, and returns after the last call.
    func close() async {
        run { $0.close() }
        await state.withLock { $0.runner }?.value
    }

    /// Changes the demand, and starts the runner if there is a call to make.
    private func run(_ change: (inout ObservationDemand) -> Bool) {
        state.withLock { state in
            guard change(&state.demand) else { return }
            // Detached, because it belongs to no turn of the subscriber.
            state.runner = Task.detached(executorPreference: inheritedExecutor) { await self.makeCalls() }
        }
    }

    /// On the main actor, so that each decision follows the current turn of the main actor.
    @MainActor
    private func makeCalls() async {
        while let call = state.withLock({ $0.demand.next() }) { await make(call) }
    }

    @MainActor
    private func make(_ call: ObservationDemand.Call) async {
        guard let client else { return }
        do {
            switch call {
            case .observed:
                try await withLimit(port.limit(.observe, of: component)) { try await client.whenObserved() }
            case .unobserved:
                try await withLimit(port.limit(.unobserve, of: component)) { await client.whenUnobserved() }
            }
        } catch {
            guard ActionOutcome(ofError: error) != .cancelled else { return }
            await supervisor?.report(error, in: component)
        }
    }
}
