// SPDX-License-Identifier: Apache-2.0

internal import AxiomStorage

/// The orders of the shop's server, in a database of its own.
///
/// It applies each idempotency key once, and answers a repetition as it answered the first request. The database outlives the
/// process if its folder does.
actor OrderBackend {
    struct Order: Codable {
        let id: String
        let customer: String
        let lines: [Backend.Line]
    }

    struct Receipt: Codable {
        let number: Int
        /// In cents.
        let amount: Int
    }

    private struct Record: Codable {
        let order: Order
        let receipt: Receipt
    }

    private static let prefix = "orders/"

    private let storage: SQLiteStorage
    private let table: OrderTable
    private var restoring: Task<Void, any Error>?
    /// The orders that are being applied, by key: a request may be repeated while the first one is still carried out.
    private var placing: [String: Task<Receipt, any Error>] = [:]
    private var lastNumber = 0
    /// In cents.
    private(set) var total = 0

    init(path: String, _ table: OrderTable) {
        storage = SQLiteStorage(path: path)
        self.table = table
    }

    /// Reads the orders of earlier runs. Does nothing if they were read.
    ///
    /// - Throws: `StorageError`.
    func restore() async throws {
        let task = restoring ?? Task { try await self.read() }
        restoring = task
        try await task.value
    }

    private func read() async throws {
        for key in try await storage.keys(prefix: Self.prefix) {
            guard let record = try await storage.load(Record.self, key) else { continue }
            count(record)
            table.applied(record.order.id, key: String(key.name.dropFirst(Self.prefix.count)))
        }
    }

    /// Applies an order, unless the key was seen before. The order is durable when this returns.
    ///
    /// - Throws: `StorageError`.
    func place(_ order: Order, key: String) async throws -> Receipt {
        table.received(order.id, key: key)
        try await restore()
        if let running = placing[key] {
            table.repeated()
            return try await running.value
        }
        // It ends even if the request is cancelled.
        let task = Task { try await self.apply(order, key) }
        placing[key] = task
        defer { placing[key] = nil }
        return try await task.value
    }

    private func apply(_ order: Order, _ key: String) async throws -> Receipt {
        let name = StorageKey(Self.prefix + key)
        if let record = try await storage.load(Record.self, name) {
            table.repeated()
            return record.receipt
        }
        let amount = order.lines.reduce(0) { $0 + $1.quantity * Backend.price(of: $1.article) }
        let record = Record(order: order, receipt: Receipt(number: lastNumber + 1, amount: amount))
        count(record)
        try await storage.save(record, name)
        table.applied(order.id, key: key)
        return record.receipt
    }

    private func count(_ record: Record) {
        lastNumber = max(lastNumber, record.receipt.number)
        total += record.receipt.amount
    }

    /// Closes the database.
    func close() async {
        await storage.terminate()
    }
}
