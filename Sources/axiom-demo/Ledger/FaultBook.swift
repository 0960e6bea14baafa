// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What became of each fault that the upstream served.
///
/// Requests carry a number. The upstream enters the numbers of those that it answered with a fault, the application
/// enters how each request ended for it, and every fault has exactly one fate.
final class FaultBook: Sendable {
    /// How a request ended for the application.
    enum Fate: Sendable, Hashable {
        /// The answer came, perhaps late: what was wrong with it was sat out.
        case answered
        /// It failed, and something else took its place: a kept answer, another attempt, a note for later.
        case recovered
        /// It failed, and the error ended at the boundary of a context.
        case boundary
        /// Nobody waited for it any longer.
        case cancelled
    }

    struct Counts: Hashable, Sendable {
        var served = 0
        var recovered = 0
        var boundary = 0
        var cancelled = 0
        /// Faults whose request has not ended yet.
        var open = 0
    }

    fileprivate struct State {
        var lastRequest: UInt64 = 0
        var counts = Counts()
        /// Requests that met a fault and have not ended.
        var open: Set<UInt64> = []
        /// Requests that were called off before the upstream said a word. It may still come to them: they are on
        /// their way. Most never meet a fault, so the oldest give way.
        var departed: Set<UInt64> = []
        var isClosed = false
    }

    /// How many requests a departed one may lie back before it is forgotten: many more than can be under way.
    private static let memory: UInt64 = 10_000

    /// Guarded by the lock.
    private let state = Lock(State())

    /// The number of a new request; no other has it.
    func newRequest() -> UInt64 {
        state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
    }

    /// The upstream is about to answer `request` with a fault.
    ///
    /// - Returns: Whether it may; not when the book was closed.
    func serve(_ request: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.counts.served += 1
            if state.departed.remove(request) != nil {
                state.counts.cancelled += 1
            } else {
                state.open.insert(request)
            }
            return true
        }
    }

    /// `request` has ended for the application. Only the first word on a request counts.
    func settle(_ request: UInt64, _ fate: Fate) {
        state.withLock { state in
            if state.open.remove(request) != nil {
                state.counts.add(fate)
            } else if fate == .cancelled {
                state.depart(request, memory: Self.memory)
            }
        }
    }

    /// From now on no fault may be served, so that the counts stand still once every request has ended.
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

extension FaultBook.State {
    fileprivate mutating func depart(_ request: UInt64, memory: UInt64) {
        departed.insert(request)
        if departed.count > 2_000 { departed = departed.filter { $0 + memory > lastRequest } }
    }
}

extension FaultBook.Counts {
    fileprivate mutating func add(_ fate: FaultBook.Fate) {
        switch fate {
        case .answered, .recovered: recovered += 1
        case .boundary: boundary += 1
        case .cancelled: cancelled += 1
        }
    }
}
