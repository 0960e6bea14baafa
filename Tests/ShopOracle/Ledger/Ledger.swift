// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Synchronization

/// An error of a call that was refused before it ran: it has no request.
protocol Refusal: Error {}

extension CircuitError: Refusal {}

/// What happened to a fault of the server, or to a refused call, in the application.
enum Fate: Hashable, Sendable {
    /// The response arrived, perhaps late: the application waited for it.
    case answered
    /// The call failed, and the application replaced it: by an old response, or by another attempt.
    case recovered
    /// The call failed, and the error ended at the boundary of a context.
    case shown
    /// The caller was cancelled.
    case cancelled
}

/// Counts what happens in the shop, independently of Axiom's metrics: the metrics are checked against it.
///
/// It counts in the load generator, in the shop's server, and in decorators that the factories of components put around
/// the real ones. No component knows the ledger, and no probe of the instrumentation writes to it.
final class Ledger: Sendable {
    /// Calls of clients by contexts.
    let clients: OutcomeTable
    /// Actions of contexts.
    let contexts: OutcomeTable
    /// The contexts that were created.
    let contextLifetimes: LifetimeTracker
    /// The clients and capabilities that were created.
    let singletonLifetimes: LifetimeTracker
    /// The presentations that were mounted.
    let mounts = MountTable()
    /// The faults of the server.
    let faults = FaultTable()
    /// The calls that circuit breakers refused.
    let refusals = RefusalTable()
    /// The orders.
    let orders = OrderTable()

    private let requests = Atomic(0)
    private let stormyRequests = Atomic(0)
    private let errors = Atomic(0)

    /// Creates a ledger that lists every component from the start, each with 0.
    init(clients: [String], contexts: [String], capabilities: [String]) {
        self.clients = OutcomeTable(names: clients)
        self.contexts = OutcomeTable(names: contexts)
        contextLifetimes = LifetimeTracker(names: contexts)
        singletonLifetimes = LifetimeTracker(names: clients + capabilities)
    }

    /// Counts a request that the server received.
    ///
    /// - Parameter whileStormy: Whether faults were on at that time.
    func received(whileStormy isStormy: Bool) {
        requests.add(1, ordering: .relaxed)
        if isStormy { stormyRequests.add(1, ordering: .relaxed) }
    }

    /// Counts the fate of an error that an operation of a context threw.
    func settle(_ error: any Error, _ fate: Fate) {
        if fate == .shown, !(error is any Refusal) { errors.add(1, ordering: .relaxed) }
        switch error {
        case let error as NetworkError: if let request = error.request { faults.settle(request, fate) }
        case is any Refusal: refusals.settle(fate)
        default: break
        }
    }

    /// Tracks the lifetime of a new component: for the factory that created it.
    func tracked<C: Component>(_ component: C) -> C {
        let descriptor = component.identity.descriptor
        let tracker = descriptor.kind == .context ? contextLifetimes : singletonLifetimes
        tracker.created(descriptor.name, component)
        return component
    }

    /// Whether a fault has no fate yet, or an order that was placed is not applied yet.
    var isWaiting: Bool { faults.counts.open > 0 || orders.counts.waiting > 0 }

    /// The counts now.
    ///
    /// On the main actor, where contexts work: no call of a client is between its record here and the framework's.
    @MainActor var report: LedgerReport {
        let (clients, contexts) = (clients.reading, contexts.reading)
        let (contextCounts, singletons) = (contextLifetimes.reading, singletonLifetimes.reading)
        let faults = faults.counts
        return LedgerReport(
            clients: clients.mapValues(\.outcomes),
            contexts: contexts.mapValues(\.outcomes),
            created: contextCounts.mapValues(\.created),
            alive: contextCounts.mapValues(\.alive),
            upstream: .init(
                requests: requests.load(ordering: .relaxed),
                stormyRequests: stormyRequests.load(ordering: .relaxed),
                faults: faults.served
            ),
            errors: errors.load(ordering: .relaxed),
            recovered: faults.recovered,
            cancelled: faults.cancelled,
            rejections: refusals.counts,
            orders: orders.counts,
            inFlight: .init(
                clients: clients.mapValues(\.inFlight),
                contexts: contexts.mapValues(\.inFlight),
                faults: faults.open
            ),
            mounts: mounts.counts,
            singletons: singletons
        )
    }
}
