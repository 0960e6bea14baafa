// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The work of a request, the same code for all ways to answer it: reads a body of about 200 bytes, changes a dictionary, and
/// writes an answer.
enum RateWork: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// By code for these bodies: little more than a microsecond, so that the cost of each way shows.
    case small
    /// By the coders of Foundation, as the servers of Swift do.
    case json

    /// Reads a body; nil if it has not the form of an order.
    func order(_ body: [UInt8]) -> RateOrder? {
        switch self {
        case .small: RateOrder(body)
        case .json: try? JSONDecoder().decode(RateOrder.self, from: Data(body))
        }
    }

    /// The text of an answer.
    func answer(_ order: RateOrder, _ total: Int) throws -> String {
        switch self {
        case .small: order.answer(total)
        case .json: String(decoding: try JSONEncoder().encode(RateAnswer(order, total)), as: UTF8.self)
        }
    }
}

private struct RateAnswer: Encodable {
    let item: String
    let customer: String
    let ordered: Int
    let total: Int

    init(_ order: RateOrder, _ total: Int) {
        (item, customer, ordered, self.total) = (order.item, order.customer, order.count, total)
    }
}

/// What a body says.
struct RateOrder: Sendable, Decodable {
    var item = ""
    var customer = ""
    var count = 0

    /// Bodies of requests, such as a client sends them.
    static let bodies: [[UInt8]] = (0..<64).map { number in
        let note = "please leave it at the door, the bell of number \(100 + number) does not work today"
        let (item, customer) = ("item-\(number)", "customer-\(number * 7 % 64)")
        let text = """
            {"item": "\(item)", "customer": "\(customer)", "count": \(number % 5 + 1), "note": "\(note)", "currency": "CHF", \
            "paid": true}
            """
        return Array(text.utf8)
    }

    /// Reads an object of texts, whole numbers and words; nil for anything else.
    init?(_ body: [UInt8]) {
        var reader = RateReader(bytes: body)
        guard reader.skip("{") else { return nil }
        repeat {
            guard let name = reader.text(), reader.skip(":") else { return nil }
            switch name {
            case "item": item = reader.text() ?? ""
            case "customer": customer = reader.text() ?? ""
            case "count": count = reader.number()
            default: reader.skipValue()
            }
        } while reader.skip(",")
        guard reader.skip("}"), !item.isEmpty else { return nil }
    }

    /// The text of an answer.
    func answer(_ total: Int) -> String {
        "{\"item\": \"\(item)\", \"customer\": \"\(customer)\", \"ordered\": \(count), \"total\": \(total)}"
    }
}

/// What the actor keeps.
struct RateTotals: Sendable {
    private var totals: [String: Int] = [:]

    /// Adds an order, and returns the total of its item.
    mutating func add(_ item: String, _ count: Int) -> Int {
        totals[item, default: 0] &+= count
        return totals[item, default: 0]
    }
}

private struct RateReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? {
        mutating get {
            while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func text() -> String? {
        guard skip("\""), let end = bytes[position...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        defer { position = end + 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    mutating func number() -> Int {
        var value = 0
        while let digit = next, (48...57).contains(digit) {
            value = value &* 10 &+ Int(digit - 48)
            position += 1
        }
        return value
    }

    mutating func skipValue() {
        if next == UInt8(ascii: "\"") {
            _ = text()
        } else {
            while let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}") { position += 1 }
        }
    }
}
