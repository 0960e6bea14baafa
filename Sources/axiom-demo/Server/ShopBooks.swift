// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage

/// The data of the shop's server. Its orders are in a database of their own.
actor ShopBooks {
    static let prefix = "orders/"

    let storage: SQLiteStorage
    /// The orders that are being applied, by key: a request may be repeated while the first one is still carried out.
    private var placing: [String: Task<Bool, any Error>] = [:]
    private var profiles: [String: CustomerProfile] = [:]

    /// - Parameter folder: Where the database is. The orders outlive the process if the folder does.
    init(folder: String) {
        storage = SQLiteStorage(path: "\(folder)/upstream.db")
    }

    // MARK: Customers

    func profile(_ customer: String) -> CustomerProfile {
        profiles[customer]
            ?? CustomerProfile(customer: customer, name: customer.uppercased(), points: 10 * customer.count)
    }

    func rename(_ customer: String, to name: String) -> CustomerProfile {
        let profile = CustomerProfile(customer: customer, name: name, points: profile(customer).points + 1)
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

    /// Applies an order, unless its key was seen before. The order is durable when this returns.
    ///
    /// - Returns: Whether it was applied now.
    /// - Throws: `StorageError`.
    func place(_ order: Order, key: String) async throws -> Bool {
        if let running = placing[key] {
            _ = try await running.value
            return false
        }
        // It ends even if the request is cancelled.
        let task = Task { try await self.apply(order, StorageKey(Self.prefix + key)) }
        placing[key] = task
        defer { placing[key] = nil }
        return try await task.value
    }

    private func apply(_ order: Order, _ key: StorageKey) async throws -> Bool {
        guard try await storage.data(key) == nil else { return false }
        try await storage.save(order, key)
        return true
    }

    /// Closes the database.
    func close() async {
        await storage.terminate()
    }
}
