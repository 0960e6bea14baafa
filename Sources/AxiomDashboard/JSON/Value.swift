// SPDX-License-Identifier: Apache-2.0

/// What one field of a row says. Two values are equal when a reader need not be told.
enum Value: Hashable, Sendable {
    case none
    case integer(Int64)
    case number(Double)
    case text(String)
    case flag(Bool)
    /// JSON that was written elsewhere: an object or a list.
    case json([UInt8])

    /// A total, exactly.
    static func count(_ value: some FixedWidthInteger) -> Value {
        .integer(Int64(clamping: value))
    }

    /// A measured number, to four digits.
    static func measured(_ value: Double?) -> Value {
        guard let value, value.isFinite else { return .none }
        return .number(value.significant())
    }

    /// A moment in seconds since 1970, to the millisecond.
    static func moment(_ value: Double?) -> Value {
        guard let value, value.isFinite else { return .none }
        return .number((value * 1_000).rounded() / 1_000)
    }

    /// A name or a sentence, no longer than a tick can carry beside others.
    static func words(_ text: String?, limit: Int = 240) -> Value {
        guard let text else { return .none }
        return .text(text.clipped(limit))
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
    /// The text, or its beginning with an ellipsis, so that it takes no more than `limit` bytes in JSON.
    func clipped(_ limit: Int) -> String {
        // Most are short: one byte becomes six at most.
        if utf8.count <= limit / 6 { return self }
        var (kept, size) = (unicodeScalars.startIndex, 0)
        for place in unicodeScalars.indices {
            size += Self.jsonSize(unicodeScalars[place])
            if size > limit { return String(unicodeScalars[..<kept]) + "…" }
            if size <= limit - 3 { kept = unicodeScalars.index(after: place) }
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
