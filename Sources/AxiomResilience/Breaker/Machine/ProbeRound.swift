// SPDX-License-Identifier: Apache-2.0

/// The probes of one half-open phase: those that hold a permit, and what the others found.
struct ProbeRound: Equatable, Sendable {
    private struct Probe: Equatable {
        let id: Int
        let start: Int64
    }

    /// In the order in which they were admitted; at most as many as there are permits.
    private var outstanding: [Probe] = []
    private var nextID = 0
    var passed = 0
    /// Those that failed or were given up.
    var failed = 0
    /// Of those that passed or failed, the slow ones.
    var slow = 0

    /// Permits in use, and those that were used up.
    var taken: Int { outstanding.count + passed + failed }
    var inUse: Int { outstanding.count }
    /// When the oldest probe was admitted.
    var oldest: Int64? { outstanding.first?.start }

    mutating func admit(at now: Int64) -> Int {
        nextID += 1
        outstanding.append(Probe(id: nextID, start: now))
        return nextID
    }

    /// Takes a probe's permit back.
    ///
    /// - Returns: Whether it still had one.
    mutating func settle(_ id: Int) -> Bool {
        guard let index = outstanding.firstIndex(where: { $0.id == id }) else { return false }
        outstanding.remove(at: index)
        return true
    }

    mutating func expireOldest(isSlow: Bool) {
        outstanding.removeFirst()
        failed += 1
        if isSlow { slow += 1 }
    }

    /// Probes that have been in flight for so long.
    func overdue(_ duration: Int64, at now: Int64) -> Int {
        duration == 0 ? 0 : outstanding.count { now &- $0.start >= duration }
    }
}
