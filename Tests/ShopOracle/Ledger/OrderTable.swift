// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts what happens to each order, in the application and at the server.
///
/// Each order that was placed is applied exactly once, and all its requests have one idempotency key: when nothing waits,
/// `waiting`, `doubled` and `rekeyed` are 0. The server ignores a key that it has seen, but it does not compare orders. So an
/// application that sends an order under a second key doubles it.
final class OrderTable: Sendable {
    struct Counts: Codable, Hashable, Sendable {
        /// Orders that the application accepted in this run.
        var placed = 0
        /// Requests with an order that the server received in this run.
        var received = 0
        /// Orders that the server applied, in this run and in earlier ones with the same folder.
        var applied = 0
        /// Requests that the server answered without applying the order: it has seen the key before.
        var repeated = 0
        /// Orders that were applied more than once.
        var doubled = 0
        /// Orders that were sent under more than one idempotency key.
        var rekeyed = 0
        /// Orders that were placed and are not applied yet.
        var waiting = 0

        init() {}
    }

    fileprivate struct Row {
        var isPlaced = false
        var applications = 0
        /// The idempotency key of the first request.
        var key: String?
        var isRekeyed = false

        /// Whether the order was placed and is not applied yet.
        var isWaiting: Bool { isPlaced && applications == 0 }
    }

    fileprivate struct State {
        /// The counts without those of the rows.
        var counts = Counts()
        /// The latest orders, and those that wait.
        var rows: [String: Row] = [:]
        /// The orders that came before these, unless something was noted about them since.
        var older: [String: Row] = [:]
        /// The number of rows at which the older ones are forgotten.
        var threshold = OrderTable.memory

        /// Forgets the older orders when there are many, except for those that wait. The counts stay.
        mutating func trim() {
            guard rows.count >= threshold else { return }
            let waiting = older.filter { $0.value.isWaiting }
            (rows, older) = (waiting, rows)
            threshold = waiting.count + OrderTable.memory
        }

        /// The row of an order: the one that is remembered, or a new one.
        mutating func change(_ order: String, _ body: (inout Row) -> Void) {
            var row = older.removeValue(forKey: order) ?? rows[order] ?? Row()
            body(&row)
            rows[order] = row
        }
    }

    /// Twice as many orders are remembered one by one, besides those that wait: more than are sent in the time in which a
    /// request may be repeated.
    private static let memory = 1_000

    /// Guarded by the lock.
    private let state = Lock(State())

    init() {}

    /// The application has accepted an order.
    func placed(_ order: String) {
        state.withLock { state in
            state.trim()
            state.counts.placed += 1
            state.change(order) { $0.isPlaced = true }
        }
    }

    /// The server has received a request with an order.
    func received(_ order: String, key: String) {
        state.withLock { state in
            state.counts.received += 1
            state.note(key, of: order)
        }
    }

    /// The server has applied an order, or has found that it applied it in an earlier run.
    func applied(_ order: String, key: String) {
        state.withLock { state in
            state.note(key, of: order)
            var applications = 0
            state.change(order) { row in
                row.applications += 1
                applications = row.applications
            }
            if applications == 1 { state.counts.applied += 1 }
            if applications == 2 { state.counts.doubled += 1 }
        }
    }

    /// The server has ignored a request, because it has seen the key before.
    func repeated() {
        state.withLock { $0.counts.repeated += 1 }
    }

    /// How many orders are remembered one by one.
    var remembered: Int { state.withLock { $0.rows.count + $0.older.count } }

    var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = [state.rows, state.older].reduce(0) { $0 + $1.values.count(where: \.isWaiting) }
            return counts
        }
    }
}

extension OrderTable.State {
    fileprivate mutating func note(_ key: String, of order: String) {
        var isRekeyed = false
        change(order) { row in
            if let first = row.key, first != key, !row.isRekeyed {
                row.isRekeyed = true
                isRekeyed = true
            }
            if row.key == nil { row.key = key }
        }
        if isRekeyed { counts.rekeyed += 1 }
    }
}
