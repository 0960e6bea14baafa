// SPDX-License-Identifier: Apache-2.0

/// Reads the wire format of protocol buffers.
package struct WireReader {
    package enum Value: Hashable {
        case varint(UInt64)
        /// A fixed number: eight or four bytes.
        case fixed(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    /// Reads from the first of the bytes.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The fields of a message in their order; nil if the bytes are no message.
    package static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: UInt64, value: Value)]? {
        var reader = WireReader(bytes)
        var fields: [(number: UInt64, value: Value)] = []
        while !reader.rest.isEmpty {
            guard let field = reader.field() else { return nil }
            fields.append(field)
        }
        return fields
    }

    /// The next field of a message; nil at the end, or if the bytes are no message.
    mutating func field() -> (number: UInt64, value: Value)? {
        guard let key = varint(), key >> 3 > 0, let value = value(key & 7) else { return nil }
        return (key >> 3, value)
    }

    /// The next varint, as in a packed list; nil at the end, or if the bytes are none.
    package mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    /// As many bytes as the number before them says.
    mutating func delimited() -> ArraySlice<UInt8>? {
        varint().flatMap { take($0) }
    }

    private mutating func value(_ wireType: UInt64) -> Value? {
        switch wireType {
        case 0: varint().map { .varint($0) }
        case 1: take(8).map { .fixed($0.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
        case 2: delimited().map { .bytes($0) }
        case 5: take(4).map { .fixed($0.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
        default: nil
        }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
