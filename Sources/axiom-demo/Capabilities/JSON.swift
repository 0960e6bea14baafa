// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The encoding of what the shop sends and stores.
enum JSON {
    /// The value as UTF-8 with sorted keys: equal values have equal bytes.
    ///
    /// - Throws: The encoder's error, for a number that JSON cannot express.
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
