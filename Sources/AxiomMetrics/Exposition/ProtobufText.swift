// SPDX-License-Identifier: Apache-2.0

/// Converts a page of protocol buffers to their text form, one field per line.
package struct ProtobufText {
    private indirect enum Kind: Sendable {
        case text
        case number
        case unsigned
        case signed
        case signedList
        case metricType
        case message([UInt64: Field])
    }

    private struct Field: Sendable {
        let name: String
        let kind: Kind

        init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    private static let labelPair: [UInt64: Field] = [1: Field("name", .text), 2: Field("value", .text)]
    private static let timestamp: [UInt64: Field] = [1: Field("seconds", .unsigned), 2: Field("nanos", .unsigned)]
    private static let exemplar: [UInt64: Field] = [
        1: Field("label", .message(labelPair)), 2: Field("value", .number), 3: Field("timestamp", .message(timestamp)),
    ]
    private static let gauge: [UInt64: Field] = [1: Field("value", .number)]
    private static let counter: [UInt64: Field] = [
        1: Field("value", .number), 2: Field("exemplar", .message(exemplar)),
        3: Field("start_timestamp", .message(timestamp)),
    ]
    private static let bucket: [UInt64: Field] = [
        1: Field("cumulative_count", .unsigned), 2: Field("upper_bound", .number),
        3: Field("exemplar", .message(exemplar)),
    ]
    private static let span: [UInt64: Field] = [1: Field("offset", .signed), 2: Field("length", .unsigned)]
    private static let histogram: [UInt64: Field] = [
        1: Field("sample_count", .unsigned), 2: Field("sample_sum", .number), 3: Field("bucket", .message(bucket)),
        5: Field("schema", .signed), 6: Field("zero_threshold", .number), 7: Field("zero_count", .unsigned),
        9: Field("negative_span", .message(span)), 10: Field("negative_delta", .signedList),
        12: Field("positive_span", .message(span)), 13: Field("positive_delta", .signedList),
        15: Field("start_timestamp", .message(timestamp)), 16: Field("exemplars", .message(exemplar)),
    ]
    private static let metric: [UInt64: Field] = [
        1: Field("label", .message(labelPair)), 2: Field("gauge", .message(gauge)),
        3: Field("counter", .message(counter)), 7: Field("histogram", .message(histogram)),
    ]
    private static let family: [UInt64: Field] = [
        1: Field("name", .text), 2: Field("help", .text), 3: Field("type", .metricType),
        4: Field("metric", .message(metric)), 5: Field("unit", .text),
    ]
    private static let types = [0: "COUNTER", 1: "GAUGE", 4: "HISTOGRAM"]

    /// The text so far.
    private var text = ""

    /// The page as text. If it is not a page of ``ProtobufEncoder``, the text ends at the first invalid byte.
    package static func read(_ page: some Collection<UInt8>) -> String {
        var reader = WireReader(Array(page)[...])
        var output = ProtobufText()
        while let family = reader.delimited() {
            if !output.text.isEmpty { output.text += "\n" }
            output.write(family, Self.family, indent: "")
        }
        return output.text
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ fields: [UInt64: Field], indent: String) {
        var reader = WireReader(bytes)
        while let key = reader.varint(), let field = fields[key >> 3] {
            text += indent + field.name
            guard write(&reader, field.kind, indent: indent) else { return }
        }
    }

    /// Writes a field's value; false if it is missing.
    private mutating func write(_ reader: inout WireReader, _ kind: Kind, indent: String) -> Bool {
        switch kind {
        case .message(let fields):
            guard let content = reader.delimited() else { return false }
            text += " {\n"
            write(content, fields, indent: indent + "  ")
            text += indent + "}\n"
        default:
            guard let value = Self.scalar(&reader, kind) else { return false }
            text += ": \(value)\n"
        }
        return true
    }

    private static func scalar(_ reader: inout WireReader, _ kind: Kind) -> String? {
        switch kind {
        case .text:
            reader.delimited().map { "\"\(LineEscaping.quoted.escape(String(decoding: $0, as: UTF8.self)))\"" }
        case .number: reader.number().map(NumberFormat.text)
        case .unsigned: reader.varint().map { "\($0)" }
        case .signed: reader.signed().map { "\($0)" }
        case .signedList: reader.delimited().map { "\(WireReader($0).allSigned())" }
        case .metricType: reader.varint().map { types[Int(truncatingIfNeeded: $0)] ?? "\($0)" }
        case .message: nil
        }
    }
}

/// Reads the wire format of protocol buffers.
private struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func signed() -> Int64? {
        varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    mutating func number() -> Double? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return Double(bitPattern: rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    mutating func delimited() -> ArraySlice<UInt8>? {
        guard let length = varint(), let count = Int(exactly: length), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    consuming func allSigned() -> [Int64] {
        var all: [Int64] = []
        while let value = signed() { all.append(value) }
        return all
    }
}
