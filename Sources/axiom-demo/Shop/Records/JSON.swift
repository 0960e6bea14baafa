// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How the shop writes what it sends and keeps.
enum JSON {
    /// The value as UTF-8, with sorted keys: equal values give equal bytes.
    ///
    /// - Throws: What the encoder throws, for a number that JSON does not have.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try Array(encoder.encode(value))
    }

    /// The value that the bytes describe.
    ///
    /// - Throws: `DecodingError` that names what is missing or wrong.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
