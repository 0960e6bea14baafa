// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A JSON value whose objects keep the order of their members, which Foundation's encoder does not.
enum JSON: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        let name: String
        let value: JSON

        init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The digits of a number: all of a 64-bit integer, otherwise the fewest that identify the `Double`.
    case number(String)
    case string(String)
    case array([JSON])
    /// No two members have the same name.
    case object([Member])

    /// The member of an object; nil if there is none or the value is not an object.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The order of names in RFC 8785: by UTF-16 code units. The order of `String` leaves some names undecided, as in
    /// `"é+" < "e\u{301}"`, if one of them is not composed.
    static func isOrdered(_ name: String, _ other: String) -> Bool {
        name.utf16.lexicographicallyPrecedes(other.utf16)
    }

    /// Whether the value has no other values in it.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}

extension JSON: Decodable {
    /// Parses UTF-8 text.
    ///
    /// - Throws: `DecodingError` that says where the text is not JSON.
    init(parsing bytes: [UInt8]) throws {
        // The decoder would accept UTF-16 as well.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text is not UTF-8"))
        }
        let data = Data(bytes)
        do {
            self = try JSONDecoder().decode(JSON.self, from: data)
        } catch let error as DecodingError {
            guard let detail = Self.syntaxError(data) else { throw error }
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: detail))
        }
    }

    /// What is wrong with the text, and where: the decoder does not say it on every platform.
    private static func syntaxError(_ data: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return nil
        } catch {
            return (error as NSError).userInfo["NSDebugDescription"] as? String
        }
    }

    /// How deep values may be nested: deeper input could overflow the stack of a thread.
    static let depthLimit = 64

    /// Reads any value. The members of an object come in the order of their names.
    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count < Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Values are nested too deep")
            )
        }
        // Each failed attempt costs an error, so the most frequent kinds come first.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let members = try? decoder.container(keyedBy: MemberName.self) {
            let names = members.allKeys.sorted { JSON.isOrdered($0.stringValue, $1.stringValue) }
            self = .object(try names.map { Member($0.stringValue, try members.decode(JSON.self, forKey: $0)) })
        } else if let value = try? container.decode(Double.self) {
            self = .number(Self.digits(value, container))
        } else if let numbers = Self.numbers(container) {
            self = .array(numbers)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSON] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSON.self)) }
            self = .array(values)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else {
            self = .bool(try container.decode(Bool.self))
        }
    }

    /// A list of numbers below 2^53: samples and buckets, the bulk of a file. Nil for other lists.
    private static func numbers(_ container: any SingleValueDecodingContainer) -> [JSON]? {
        guard let values = try? container.decode([Double].self), values.allSatisfy({ $0.magnitude < 0x1p53 })
        else { return nil }
        return values.map { .number(JSONWriter.digits($0)) }
    }

    /// A `Double` has all digits of an integer below 2^53 only.
    private static func digits(_ value: Double, _ container: any SingleValueDecodingContainer) -> String {
        if value.magnitude >= 0x1p53 {
            if let integer = try? container.decode(Int64.self) { return String(integer) }
            if let integer = try? container.decode(UInt64.self) { return String(integer) }
        }
        return JSONWriter.digits(value)
    }

    /// The name of a member, for Foundation's decoder.
    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) {
            return nil
        }
    }
}
