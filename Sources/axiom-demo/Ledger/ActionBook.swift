// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts the actions of each party: begun, and how they ended.
final class ActionBook: Sendable {
    private struct Page {
        var outcomes = Outcomes()
        var inFlight = 0
    }

    /// Guarded by the lock. An action leaves `inFlight` in the same step in which its outcome appears.
    private let pages: Lock<[String: Page]>

    /// Makes a book that lists every party from the start, each at 0.
    init(parties: [String]) {
        pages = Lock(Dictionary(uniqueKeysWithValues: parties.map { ($0, Page()) }))
    }

    /// Runs `work` and counts it for `party`: cancelled when it threw `CancellationError`, rejected when it was refused,
    /// a failure for any other error.
    ///
    /// On the main actor, where contexts work: nothing comes between the end of `work` and the count.
    @MainActor
    func enter(_ party: String, _ work: @MainActor () async throws -> Void) async throws {
        begin(party)
        do {
            try await work()
            end(party, \.success)
        } catch {
            end(party, Self.outcome(of: error))
            throw error
        }
    }

    /// An action of `party` begins.
    func begin(_ party: String) {
        pages.withLock { $0[party, default: Page()].inFlight += 1 }
    }

    /// An action of `party` that began has ended.
    func end(_ party: String, _ outcome: any WritableKeyPath<Outcomes, Int> & Sendable) {
        pages.withLock { pages in
            pages[party]?.outcomes[keyPath: outcome] += 1
            pages[party]?.inFlight -= 1
        }
    }

    var outcomes: [String: Outcomes] {
        pages.withLock { $0.mapValues(\.outcomes) }
    }

    /// The outcomes and what is under way, as of one moment.
    var reading: (outcomes: [String: Outcomes], inFlight: [String: Int]) {
        let pages = pages.withLock { $0 }
        return (pages.mapValues(\.outcomes), pages.mapValues(\.inFlight))
    }

    private static func outcome(of error: any Error) -> any WritableKeyPath<Outcomes, Int> & Sendable {
        switch error {
        case is CancellationError: \.cancelled
        case is any Refusal: \.rejected
        default: \.failure
        }
    }
}
