// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage
internal import Foundation

/// The proof that an order was applied.
struct Receipt: Codable, Hashable, Sendable {
    let number: Int
    /// In cents.
    let amount: Int
}

/// The data of the shop's server. Its orders are in a database of their own.
actor ShopBooks {
    /// What becomes of an order.
    enum OrderEvent: Sendable {
        case received, applied, repeated
    }

    private struct Record: Codable {
        let order: Order
        let receipt: Receipt
    }

    private static let prefix = "orders/"

    private let storage: SQLiteStorage
    private let onOrder: @Sendable (OrderEvent, Order, _ key: String) -> Void
    private var restoring: Task<Void, any Error>?
    /// The orders that are being applied, by key: a request may be repeated while the first one is still carried out.
    private var placing: [String: Task<Receipt, any Error>] = [:]
    private var profiles: [String: Profile] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - folder: Where the database is. The orders outlive the process if the folder does.
    ///   - onOrder: Is told what becomes of each order.
    init(folder: String, onOrder: @escaping @Sendable (OrderEvent, Order, String) -> Void = { _, _, _ in }) {
        storage = SQLiteStorage(path: "\(folder)/upstream.db")
        self.onOrder = onOrder
    }

    // MARK: Customers

    func profile(_ customer: String) -> Profile {
        profiles[customer] ?? Profile(customer: customer, name: customer.uppercased(), points: 10 * customer.count)
    }

    func rename(_ customer: String, to name: String) -> Profile {
        let profile = Profile(customer: customer, name: name, points: profile(customer).points + 1)
        profiles[customer] = profile
        return profile
    }

    // MARK: Prices

    /// In cents: depends on the length of the article's name.
    static func price(of article: String) -> Int { 99 * article.count }

    /// The price includes 19 percent of tax.
    static func quote(_ lines: [CartLine]) -> Quote {
        let total = lines.reduce(0) { $0 + $1.quantity * price(of: $1.article) }
        return Quote(lines: lines, total: total, tax: total * 19 / 119)
    }

    // MARK: Orders

    /// Applies an order, unless the key was seen before: then it answers as it answered the first request. The order is durable
    /// when this returns.
    ///
    /// - Throws: `StorageError`.
    func place(_ order: Order, key: String) async throws -> Receipt {
        onOrder(.received, order, key)
        try await restore()
        if let running = placing[key] {
            onOrder(.repeated, order, key)
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
            onOrder(.repeated, order, key)
            return record.receipt
        }
        lastNumber += 1
        let receipt = Receipt(number: lastNumber, amount: Self.quote(order.lines).total)
        try await storage.save(Record(order: order, receipt: receipt), name)
        onOrder(.applied, order, key)
        return receipt
    }

    /// Reads the orders of earlier runs, once.
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
            lastNumber = max(lastNumber, record.receipt.number)
            onOrder(.applied, record.order, String(key.name.dropFirst(Self.prefix.count)))
        }
    }

    /// Closes the database.
    func close() async {
        await storage.terminate()
    }
}
