// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Finds stampedes: many callers miss one key at the same time, and each of them loads and stores its value. A caller that
/// uses ``Cache/value(for:orLoad:)`` takes no part: it shares one load with others.
///
/// It knows the latest miss of 64 groups of hashes, so that it may overlook a stampede while other keys are missed. A load
/// of more than 30 s is overlooked too. A key that is polled and then stored by one caller is no stampede: only the stores
/// count, at most one for each miss.
final class StampedeDetector: Sendable {
    /// The callers that missed a key, until all of them have stored it.
    private struct Round {
        let hash: UInt64
        var misses = 1
        var stores = 0
        /// When the key was last missed, in nanoseconds.
        var missedAt: Int64
    }

    /// How many callers are a stampede.
    private static let callers = 10
    private static let patience: Int64 = 30_000_000_000

    /// By the lowest bits of the hash: 2.5 kB. Guarded by its lock, which no hit takes.
    private let rounds = Lock([Round?](repeating: nil, count: 64))
    private let stampedes, loads: (any Signal)?

    init(_ bind: (SignalFamily) -> (any Signal)?) {
        (stampedes, loads) = (bind(CacheFamilies.stampedes), bind(CacheFamilies.stampedeLoads))
    }

    func missed(_ hash: UInt64, at now: Int64) {
        rounds.withLock { rounds in
            let slot = Int(hash & 63)
            if let known = rounds[slot], known.hash == hash, known.stores == 0, now &- known.missedAt <= Self.patience {
                rounds[slot]?.misses += 1
                rounds[slot]?.missedAt = now
            } else {
                rounds[slot] = Round(hash: hash, missedAt: now)
            }
        }
    }

    /// A caller has stored a key. The load of the tenth caller shows that those before were part of a stampede.
    func stored(_ hash: UInt64, at now: Int64) {
        let stores = rounds.withLock { rounds in
            let slot = Int(hash & 63)
            guard var round = rounds[slot], round.hash == hash, now &- round.missedAt <= Self.patience else { return 0 }
            round.stores += 1
            rounds[slot] = round.stores < round.misses ? round : nil
            return round.stores
        }
        if stores == Self.callers { stampedes?.increment() }
        if stores >= Self.callers { loads?.add(stores == Self.callers ? stores : 1) }
    }
}
