// SPDX-License-Identifier: Apache-2.0

/// The data of the shop's server.
///
/// The server has types of its own for what it receives and sends. The application has others: they agree in JSON only, as
/// the two sides of a network do.
actor Backend {
    struct Line: Codable {
        let article: String
        let quantity: Int
    }

    struct Quote: Encodable {
        let lines: [Line]
        /// In cents, tax included.
        let total: Int
        /// In cents, included in the total.
        let tax: Int
    }

    struct Payment: Decodable {
        /// Two payments with the same key are one.
        let key: String
        /// In cents.
        let amount: Int
    }

    struct Receipt: Encodable {
        let number: Int
        let amount: Int
    }

    struct Profile: Encodable {
        let customer: String
        var name: String
        var points: Int
    }

    struct Message: Encodable {
        let id: Int
        let text: String
    }

    struct Session: Encodable {
        let customer: String
        let token: String
    }

    struct Product: Encodable {
        let article: String
        /// In cents, tax included.
        let price: Int
    }

    struct Event: Decodable {
        let name: String
    }

    /// Twice as many keys of payments are remembered: more than are sent in the time in which one may be repeated.
    private static let memory = 1_000

    private var profiles: [String: Profile] = [:]
    /// By the keys of the latest payments.
    private var receipts: [String: Receipt] = [:]
    /// By the keys of the payments before these.
    private var olderReceipts: [String: Receipt] = [:]
    private var lastReceipt = 0
    private var total = 0
    private var events = 0

    func profile(_ customer: String) -> Profile {
        profiles[customer] ?? Profile(customer: customer, name: customer.uppercased(), points: 10 * customer.count)
    }

    func rename(_ customer: String, to name: String) -> Profile {
        var profile = profile(customer)
        profile.name = name
        profile.points += 1
        profiles[customer] = profile
        return profile
    }

    func inbox(_ customer: String) -> [Message] {
        // A new offer for every tenth order.
        let first = 1 + lastReceipt / 10
        return (first..<first + 5).map { Message(id: $0, text: "Offer \($0) for \(profile(customer).name)") }
    }

    func signIn(_ customer: String) -> Session {
        Session(customer: customer, token: "\(customer)-\(customer.utf8.reduce(7) { $0 &* 31 &+ UInt32($1) })")
    }

    /// In cents: depends on the length of the article's name.
    static func price(of article: String) -> Int { 99 * article.count }

    func product(_ article: String) -> Product {
        Product(article: article, price: Self.price(of: article))
    }

    /// The price includes 19 percent of tax.
    func quote(_ lines: [Line]) -> Quote {
        let total = lines.reduce(0) { $0 + $1.quantity * Self.price(of: $1.article) }
        return Quote(lines: lines, total: total, tax: total * 19 / 119)
    }

    func pay(_ payment: Payment) -> Receipt {
        if let receipt = receipts[payment.key] ?? olderReceipts[payment.key] { return receipt }
        lastReceipt += 1
        total += payment.amount
        let receipt = Receipt(number: lastReceipt, amount: payment.amount)
        if receipts.count == Self.memory { (receipts, olderReceipts) = ([:], receipts) }
        receipts[payment.key] = receipt
        return receipt
    }

    func totalPaid() -> Int { total }

    func record(_ new: [Event]) -> Int {
        events += new.count
        return events
    }
}
