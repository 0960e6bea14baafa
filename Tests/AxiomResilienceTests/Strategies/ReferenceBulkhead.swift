// SPDX-License-Identifier: Apache-2.0

import AxiomResilience

/// What a bulkhead has to do, in the simplest words: a list of the waiting calls, searched from the start each time.
struct ReferenceBulkhead {
    enum Fate: Hashable {
        case waiting
        case running
        case finished
        case full
        case late
        case cancelled
    }

    let limit: Int
    let queueLimit: Int
    /// In nanoseconds; nil for no limit.
    let timeout: Int?
    private var now = 0
    private var priorities: [BulkheadPriority] = []
    private var arrivals: [Int] = []
    /// What has become of each call, by its number.
    private(set) var fates: [Fate] = []
    /// The calls that ran, in the order in which they began.
    private(set) var begun: [Int] = []

    init(limit: Int, queueLimit: Int, timeout: Int?) {
        (self.limit, self.queueLimit, self.timeout) = (limit, queueLimit, timeout)
    }

    /// The calls with a fate, the earliest first.
    func calls(_ fate: Fate) -> [Int] { fates.indices.filter { fates[$0] == fate } }

    mutating func arrive(_ priority: BulkheadPriority) {
        let call = fates.count
        let waiting = calls(.waiting)
        priorities.append(priority)
        arrivals.append(now)
        fates.append(.waiting)
        if waiting.count >= queueLimit, calls(.running).count == limit {
            let lowest = waiting.map { priorities[$0] }.min() ?? .high
            fates[lowest < priority ? waiting.last { priorities[$0] == lowest }! : call] = .full
        }
        admit()
    }

    mutating func advance(by nanoseconds: Int) {
        now += nanoseconds
        guard let timeout else { return }
        for call in calls(.waiting) where arrivals[call] + timeout <= now { fates[call] = .late }
    }

    mutating func finish(_ call: Int) {
        fates[call] = .finished
        admit()
    }

    mutating func cancel(_ call: Int) {
        if fates[call] == .waiting { fates[call] = .cancelled }
    }

    private mutating func admit() {
        while calls(.running).count < limit {
            let waiting = calls(.waiting)
            guard let highest = waiting.map({ priorities[$0] }).max() else { return }
            let call = waiting.first { priorities[$0] == highest }!
            fates[call] = .running
            begun.append(call)
        }
    }

    /// Whether `counts` are those of this model.
    func matches(_ counts: BulkheadCounts) -> Bool {
        func count(_ fates: Fate...) -> Int { self.fates.count { fates.contains($0) } }
        return counts.offered == fates.count && counts.admitted == begun.count && counts.limit == limit
            && counts.inUse == count(.running) && counts.queueDepth == count(.waiting)
            && counts.finished == count(.finished) && counts.rejectedFull == count(.full)
            && counts.rejectedLate == count(.late) && counts.cancelled == count(.cancelled)
            && counts.offered == counts.admitted + counts.rejected + counts.cancelled + counts.queueDepth
            && counts.admitted == counts.finished + counts.inUse
    }
}
