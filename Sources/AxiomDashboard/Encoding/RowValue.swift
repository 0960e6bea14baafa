// SPDX-License-Identifier: Apache-2.0

/// The value of one field of a row. A reader is sent a field again when its value differs from the last one.
enum RowValue: Hashable, Sendable {
    case none
    case integer(Int64)
    case number(Double)
    case text(String)
    case flag(Bool)
    /// JSON that was written elsewhere: an object or a list.
    case json([UInt8])

    /// The most bytes of a text in JSON, so that a tick can carry others beside it.
    static let textLimit = 240

    /// A total, exactly; null for none.
    static func count<Count: FixedWidthInteger>(_ value: Count?) -> RowValue {
        value.map { .integer(Int64(clamping: $0)) } ?? .none
    }

    /// A measured number, to four digits.
    static func measured(_ value: Double?) -> RowValue {
        guard let value, value.isFinite else { return .none }
        return .number(value.significant())
    }

    /// A moment in seconds since 1970, to the millisecond.
    static func moment(_ value: Double?) -> RowValue {
        guard let value, value.isFinite else { return .none }
        return .number((value * 1_000).rounded() / 1_000)
    }

    /// One of a few texts that are known in advance.
    static func term(_ text: String?) -> RowValue { text.map { .text($0) } ?? .none }

    /// A name or a sentence, cut off after `limit` bytes.
    static func words(_ text: String?, limit: Int = textLimit) -> RowValue {
        guard let text else { return .none }
        return .text(text.clipped(limit))
    }

    /// An object, with the members that `write` adds.
    static func object(_ write: (inout JSONText) -> Void) -> RowValue {
        .json { $0.object(write) }
    }

    static func json(_ write: (inout JSONText) -> Void) -> RowValue {
        var json = JSONText()
        write(&json)
        return .json(json.bytes)
    }

    func write(to json: inout JSONText) {
        switch self {
        case .none: json.raw("null" as StaticString)
        case .integer(let value): json.integer(value)
        case .number(let value): json.number(value)
        case .text(let text): json.string(text)
        case .flag(let flag): json.raw(flag ? "true" : "false" as StaticString)
        case .json(let bytes): json.raw(bytes)
        }
    }
}

extension String {
    /// The text, or its beginning and an ellipsis, so that it takes no more than `limit` bytes in JSON.
    func clipped(_ limit: Int) -> String {
        // Most are short: one byte becomes six at most.
        if utf8.count <= limit / 6 { return self }
        var (kept, size) = (unicodeScalars.startIndex, 0)
        for index in unicodeScalars.indices {
            size += Self.jsonSize(unicodeScalars[index])
            if size > limit { return String(unicodeScalars[..<kept]) + "…" }
            if size <= limit - 3 { kept = unicodeScalars.index(after: index) }
        }
        return self
    }

    private static func jsonSize(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x20, 0x3C, 0x7F, 0x2028, 0x2029: 6
        case 0x22, 0x5C: 2
        default: UTF8.width(scalar)
        }
    }
}
