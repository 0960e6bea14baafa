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

    private let requests = Atomic(0)
    private let errors = Atomic(0)

    /// Makes empty books that list every party from the start.
    init(clients: [String], contexts: [String], capabilities: [String]) {
        self.clients = ActionBook(parties: clients)
        self.contexts = ActionBook(parties: contexts)
        roll = Roll(parties: contexts)
        singletons = Roll(parties: clients + capabilities)
    }

    /// The upstream received a request.
    func received() {
        requests.add(1, ordering: .relaxed)
    }

    /// Runs the handler of a context's action and counts it; an error of it ends at the context's boundary.
    @MainActor
    func action(of context: String, _ work: @MainActor () async throws -> Void) async throws {
        try await phase { try await contexts.enter(context, work) }
    }

    /// Runs a part of a context's life; an error of it ends at the context's boundary.
    @MainActor
    func phase(_ work: @MainActor () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            endedAtBoundary(error)
            throw error
        }
    }

    /// `error` went no further: something else took the place of what failed.
    func recovered(_ error: any RequestBound) {
        faults.settle(error.request, .recovered)
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
            upstream: .init(requests: requests.load(ordering: .relaxed), faults: faults.served),
            errors: errors.load(ordering: .relaxed),
            recovered: faults.recovered,
            cancelled: faults.cancelled,
            inFlight: .init(clients: clients.inFlight, contexts: contexts.inFlight, faults: faults.open),
            mounts: mounts.pages,
            singletons: singletonRoll.created.reduce(into: [:]) { presences, entry in
                presences[entry.key] = .init(created: entry.value, alive: singletonRoll.alive[entry.key] ?? 0)
            }
        )
    }

    private func endedAtBoundary(_ error: any Error) {
        // What was called off is no error.
        if error is CancellationError { return }
        errors.add(1, ordering: .relaxed)
        if let error = error as? any RequestBound { faults.settle(error.request, .boundary) }
    }
}
