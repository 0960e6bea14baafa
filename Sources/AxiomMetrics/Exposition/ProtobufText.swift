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
        while let (number, value) = reader.field(), let field = fields[number] {
            if case .message(let fields) = field.kind, case .bytes(let content) = value {
                text += indent + field.name + " {\n"
                write(content, fields, indent: indent + "  ")
                text += indent + "}\n"
            } else {
                guard let scalar = Self.scalar(value, field.kind) else { return }
                text += "\(indent)\(field.name): \(scalar)\n"
            }
        }
    }

    private static func scalar(_ value: WireReader.Value, _ kind: Kind) -> String? {
        switch (kind, value) {
        case (.text, .bytes(let bytes)): "\"\(LineEscaping.quoted.escape(String(decoding: bytes, as: UTF8.self)))\""
        case (.number, .fixed(let bits)): NumberFormat.text(Double(bitPattern: bits))
        case (.unsigned, .varint(let number)): "\(number)"
        case (.signed, .varint(let number)): "\(signed(number))"
        case (.signedList, .bytes(let bytes)): "\(signedList(bytes))"
        case (.metricType, .varint(let number)): types[Int(truncatingIfNeeded: number)] ?? "\(number)"
        default: nil
        }
    }

    private static func signedList(_ bytes: ArraySlice<UInt8>) -> [Int64] {
        var reader = WireReader(bytes)
        var all: [Int64] = []
        while let number = reader.varint() { all.append(signed(number)) }
        return all
    }

    private static func signed(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
