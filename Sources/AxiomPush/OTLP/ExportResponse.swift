// SPDX-License-Identifier: Apache-2.0

/// The response of an OTLP receiver that accepted a request: it may have refused a part of it.
///
/// `ExportMetricsServiceResponse` and `ExportTraceServiceResponse` have the same shape: field 1 is the partial success, with
/// the number of the refused data points or spans as field 1, and a text as field 2.
struct ExportResponse: Hashable, Sendable {
    private(set) var refused: Int64 = 0
    private(set) var message = ""

    /// Reads a response. Nil if it is no such message.
    init?(_ bytes: [UInt8]) {
        guard let fields = MessageReader.fields(bytes[...]) else { return nil }
        for case (1, .bytes(let partial)) in fields {
            guard let fields = MessageReader.fields(partial) else { return nil }
            for field in fields {
                switch field {
                case (1, .varint(let count)): refused = max(0, Int64(bitPattern: count))
                case (2, .bytes(let text)): message = TransferResponse.excerpt(of: Array(text))
                default: break
                }
            }
        }
    }
}

/// Reads the fields of a protocol buffers message.
enum MessageReader {
    enum Value: Hashable {
        case varint(UInt64)
        /// A fixed number: eight or four bytes.
        case fixed(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    /// The fields in their order; nil if the bytes are no message.
    static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: UInt64, value: Value)]? {
        var rest = bytes
        var fields: [(number: UInt64, value: Value)] = []
        while !rest.isEmpty {
            guard let key = varint(&rest), key >> 3 > 0, let value = value(key & 7, &rest) else { return nil }
            fields.append((key >> 3, value))
        }
        return fields
    }

    private static func value(_ wireType: UInt64, _ rest: inout ArraySlice<UInt8>) -> Value? {
        switch wireType {
        case 0: varint(&rest).map { .varint($0) }
        case 1: take(8, &rest).map { .fixed($0.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
        case 2: varint(&rest).flatMap { take($0, &rest) }.map { .bytes($0) }
        case 5: take(4, &rest).map { .fixed($0.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
        default: nil
        }
    }

    private static func take(_ count: UInt64, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
