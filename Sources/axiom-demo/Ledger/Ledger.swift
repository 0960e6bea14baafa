// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The books that the shop keeps of itself, beside the framework and without it: what the metrics are checked against.
///
/// The books are kept where the real calls are: around each call of a client, inside each context's handler, in the
/// initializers of components, in the network and in the upstream.
final class Ledger: Sendable {
    /// Calls of clients.
    let clients: ActionBook
    /// Actions of contexts.
    let contexts: ActionBook
    /// The contexts that were made.
    let roll: Roll
    /// The clients and capabilities that were made.
    let singletons: Roll
    /// The presentations that were shown.
    let mounts = MountBook()
    /// What became of the upstream's faults.
    let faults = FaultBook()
    /// What became of the calls that circuit breakers refused.
    let refusals = RefusalBook()

    private let requests = Atomic(0)
    private let stormyRequests = Atomic(0)
    private let errors = Atomic(0)

    /// Makes empty books that list every party from the start.
    init(clients: [String], contexts: [String], capabilities: [String]) {
        self.clients = ActionBook(parties: clients)
        self.contexts = ActionBook(parties: contexts)
        roll = Roll(parties: contexts)
        singletons = Roll(parties: clients + capabilities)
    }

    /// The upstream received a request, perhaps at a time at which it fails.
    func received(whileStormy isStormy: Bool) {
        requests.add(1, ordering: .relaxed)
        if isStormy { stormyRequests.add(1, ordering: .relaxed) }
    }

    /// Runs `send`, which sends an action to a context and returns when that is done, and counts how it ended.
    @MainActor
    func action(of context: String, _ send: @MainActor () async -> Void) async {
        let slip = ActionSlip()
        contexts.begin(context)
        await ActionSlip.$current.withValue(slip) { await send() }
        contexts.end(context, slip.outcome)
        // Nothing was made of it: the action was called off.
        if let error = slip.openError { settle(error, .cancelled) }
    }

    /// Runs the handler of a context's action: the first time, or again because it failed.
    @MainActor
    func attempt(_ work: @MainActor () async throws -> Void) async throws {
        let slip = ActionSlip.current
        // This attempt takes the place of the one before; its own error is the one that counts.
        if let error = slip?.openError { settle(error, .recovered) }
        do {
            try await work()
            slip?.succeeded()
        } catch {
            slip?.failed(error)
            throw error
        }
    }

    /// `error`, which a context's handler or a phase of its life threw, went no further: something else took the place
    /// of what failed.
    @MainActor
    func recovered(_ error: any Error) {
        settle(error, .recovered)
        ActionSlip.current?.settled(\.success)
    }

    /// `error`, which a context's handler or a phase of its life threw, ended at the context's boundary.
    @MainActor
    func ended(_ error: any Error) {
        if !(error is any Refusal) { errors.add(1, ordering: .relaxed) }
        settle(error, .boundary)
        ActionSlip.current?.settled(\.failure)
    }

    /// The state of the books now.
    ///
    /// Read on the main actor, where contexts work: then no context is between its entry here and the framework's.
    @MainActor var report: LedgerReport {
        let (clients, contexts) = (clients.reading, contexts.reading)
        let (contextRoll, singletonRoll, faults) = (roll.reading, singletons.reading, faults.counts)
        return LedgerReport(
            clients: clients.outcomes,
            contexts: contexts.outcomes,
            created: contextRoll.created,
            alive: contextRoll.alive,
            upstream: .init(
                requests: requests.load(ordering: .relaxed),
                stormyRequests: stormyRequests.load(ordering: .relaxed),
                faults: faults.served
            ),
            errors: errors.load(ordering: .relaxed),
            recovered: faults.recovered,
            cancelled: faults.cancelled,
            rejections: refusals.counts,
            inFlight: .init(clients: clients.inFlight, contexts: contexts.inFlight, faults: faults.open),
            mounts: mounts.pages,
            singletons: singletonRoll.created.reduce(into: [:]) { presences, entry in
                presences[entry.key] = .init(created: entry.value, alive: singletonRoll.alive[entry.key] ?? 0)
            }
        )
    }

    private func settle(_ error: any Error, _ fate: FaultBook.Fate) {
        switch error {
        case let error as any RequestBound: faults.settle(error.request, fate)
        case is any Refusal: refusals.settle(fate)
        default: break
        }
    }
}
