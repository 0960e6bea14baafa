// SPDX-License-Identifier: Apache-2.0

/// The shop's business, as its servers know it.
actor Backend {
    /// The most payments whose keys are remembered: many more than can be repeated.
    private static let memory = 10_000

    private var profiles: [String: Profile] = [:]
    private var receipts: [String: Receipt] = [:]
    private var lastReceipt = 0
    private var paidInAll = 0
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

    /// Prices by the length of an article's name, and 19 percent of tax within them.
    func quote(_ lines: [CartLine]) -> Quote {
        let total = lines.reduce(0) { $0 + $1.quantity * 99 * $1.article.count }
        return Quote(lines: lines, total: total, tax: total * 19 / 119)
    }

    func pay(_ payment: Payment) -> Receipt {
        if let receipt = receipts[payment.key] { return receipt }
        lastReceipt += 1
        paidInAll += payment.amount
        let receipt = Receipt(number: lastReceipt, amount: payment.amount)
        if receipts.count == Self.memory { receipts.removeAll() }
        receipts[payment.key] = receipt
        return receipt
    }

    func totalPaid() -> Int {
        paidInAll
    }

    func record(_ new: [ActivityEvent]) -> Int {
        events += new.count
        return events
    }
}
