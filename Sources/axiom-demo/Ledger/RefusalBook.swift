// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What became of each call of a client that was refused: every one has exactly one fate.
final class RefusalBook: Sendable {
    struct Counts: Codable, Hashable, Sendable {
        /// The error ended at the boundary of a context.
        var shown = 0
        /// Something else took the place of what was refused.
        var recovered = 0
        /// The action was called off before anything was done about the error.
        var cancelled = 0

        var total: Int { shown + recovered + cancelled }
    }

    /// Guarded by the lock.
    private let book = Lock(Counts())

    var counts: Counts { book.withLock { $0 } }

    /// A refusal met its fate.
    func settle(_ fate: FaultBook.Fate) {
        book.withLock { counts in
            switch fate {
            case .boundary: counts.shown += 1
            case .answered, .recovered: counts.recovered += 1
            case .cancelled: counts.cancelled += 1
            }
        }
    }
}
