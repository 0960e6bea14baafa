// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts the fate of each fault that the server served.
///
/// Requests carry a number. The server reports the numbers of the requests that it answers with a fault, the decorators
/// and the load generator report the fate of each request, and each fault has exactly one fate.
final class FaultTable: Sendable {
    struct Counts: Hashable, Sendable {
        var served = 0
        var recovered = 0
        var shown = 0
        var cancelled = 0
        /// Faults whose request has no fate yet.
        var open = 0

        init(served: Int = 0, recovered: Int = 0, shown: Int = 0, cancelled: Int = 0, open: Int = 0) {
            self.served = served
            self.recovered = recovered
            self.shown = shown
            self.cancelled = cancelled
            self.open = open
        }
    }

    fileprivate struct State {
        var counts = Counts()
        /// Requests that met a fault and have no fate yet.
        var open: Set<UInt64> = []
        /// The fates of requests that were cancelled, or failed, before the server reported a fault. They may still arrive
        /// there. Most of them meet no fault, so the oldest are removed.
        var early: [UInt64: Fate] = [:]
        var isClosed = false
        var lastNumber: UInt64 = 0
    }

    /// How many requests are more than can be in flight at the same time.
    private static let memory: UInt64 = 10_000

    /// Guarded by the lock.
    private let state = Lock(State())

    init() {}

    /// The number of a new request.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// The server is about to answer `request` with a fault.
    ///
    /// - Returns: False if the table is closed: then the server answers without a fault.
    func serve(_ request: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.counts.served += 1
            if let fate = state.early.removeValue(forKey: request) {
                state.counts.add(fate)
            } else {
                state.open.insert(request)
            }
            return true
        }
    }

    /// Reports the fate of `request`. Only the first report about a request counts.
    func settle(_ request: UInt64, _ fate: Fate) {
        state.withLock { state in
            if state.open.remove(request) != nil {
                state.counts.add(fate)
            } else if fate != .answered {
                state.remember(fate, of: request, memory: Self.memory)
            }
        }
    }

    /// Lets the server serve no further fault. The counts do not change any more once every request has ended.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.open = state.open.count
            return counts
        }
    }
}

extension FaultTable.State {
    fileprivate mutating func remember(_ fate: Fate, of request: UInt64, memory: UInt64) {
        early[request] = early[request] ?? fate
        if early.count > 2_000 { early = early.filter { $0.key + memory > request } }
    }
}

extension FaultTable.Counts {
    fileprivate mutating func add(_ fate: Fate) {
        switch fate {
        case .answered, .recovered: recovered += 1
        case .shown: shown += 1
        case .cancelled: cancelled += 1
        }
    }
}

/// Counts the fate of each call of a client that was refused: each has exactly one.
final class RefusalTable: Sendable {
    struct Counts: Codable, Hashable, Sendable {
        /// The error ended at the boundary of a context.
        var shown = 0
        /// The application replaced the refused call.
        var recovered = 0
        /// The action was cancelled before its context handled the error.
        var cancelled = 0

        init(shown: Int = 0, recovered: Int = 0, cancelled: Int = 0) {
            self.shown = shown
            self.recovered = recovered
            self.cancelled = cancelled
        }

        var total: Int { shown + recovered + cancelled }
    }

    /// Guarded by the lock.
    private let state = Lock(Counts())

    var counts: Counts { state.withLock { $0 } }

    /// Reports the fate of one refused call.
    func settle(_ fate: Fate) {
        state.withLock { counts in
            switch fate {
            case .shown: counts.shown += 1
            case .answered, .recovered: counts.recovered += 1
            case .cancelled: counts.cancelled += 1
            }
        }
    }
}
