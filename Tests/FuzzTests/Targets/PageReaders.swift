// SPDX-License-Identifier: Apache-2.0

/// A sample of a page, comparable by its bytes: Swift takes differently encoded characters for equal.
struct PageSample: Hashable, CustomStringConvertible {
    struct Label: Hashable {
        let name: String
        let value: String

        static func == (left: Label, right: Label) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
        }
    }

    let name: String
    /// Sorted, without those that have an empty value.
    let labels: [Label]
    /// The bits of the value: all NaN are one, and −0 is 0.
    private let bits: UInt64

    init(_ name: String, _ labels: [(String, String)], _ value: Double) {
        self.name = name
        self.labels = labels.filter { !$0.1.isEmpty }.map { Label(name: $0.0, value: $0.1) }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        bits = value.isNaN ? Double.nan.bitPattern : (value == 0 ? 0 : value.bitPattern)
    }

    static func == (left: PageSample, right: PageSample) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.labels == right.labels && left.bits == right.bits
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bits)
        hasher.combine(labels.count)
        for byte in name.utf8 { hasher.combine(byte) }
    }

    var description: String {
        "\(name.debugDescription)\(labels.map { "\($0.name.debugDescription)=\($0.value.debugDescription)" }) \(Double(bitPattern: bits))"
    }

    /// A number in the notation of pages.
    static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "+-.e0123456789".utf8.contains($0) } ? Double(text) : nil
        }
    }
}

/// Reads pages of the text format and of OpenMetrics, strictly, and independently of the writer.
struct LineReader {
    private var rest: ArraySlice<UInt8>
    /// Whether the samples of counters have a start time.
    private let hasStarts: Bool

    /// - Throws: ``FuzzFailure`` if a line is not of the format.
    static func samples(
        _ page: String,
        isOpenMetrics: Bool,
        hasStarts: Bool = false
    ) throws(FuzzFailure) -> [PageSample] {
        var lines = Array(page.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        try require(lines.popLast()?.isEmpty == true, "the page does not end in a line feed")
        if isOpenMetrics { try require(lines.popLast().map { $0.elementsEqual("# EOF".utf8) } == true, "no # EOF") }
        var samples: [PageSample] = []
        for line in lines {
            if line.first == UInt8(ascii: "#") {
                let isKnown = ["# HELP ", "# TYPE ", "# UNIT "].contains { line.starts(with: $0.utf8) }
                try require(isKnown, "the comment \(String(decoding: line, as: UTF8.self))")
            } else {
                var reader = LineReader(rest: line, hasStarts: hasStarts)
                samples.append(try reader.sample())
            }
        }
        return samples
    }

    private mutating func sample() throws(FuzzFailure) -> PageSample {
        var name = String(decoding: rest.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
        rest = rest.dropFirst(name.utf8.count)
        var labels: [(String, String)] = []
        if take("{") {
            while !take("}") {
                if name.isEmpty {
                    name = try quoted()
                } else {
                    labels.append(try label())
                }
                if !take(",") { try require(rest.first == UInt8(ascii: "}"), "no comma") }
            }
        }
        try require(!name.isEmpty && take(" "), "no name or no blank")
        var value = String(decoding: rest, as: UTF8.self)
        if hasStarts, name.hasSuffix("_total") {
            let parts = value.split(separator: " ")
            try require(parts.count == 2 && parts[1].hasPrefix("st@"), "no start time in \(value)")
            try require(PageSample.number("\(parts[1].dropFirst(3))")?.isFinite == true, "the start time in \(value)")
            value = String(parts[0])
        }
        guard let number = PageSample.number(value) else { throw FuzzFailure(description: "the value \(value)") }
        return PageSample(name, labels, number)
    }

    private mutating func label() throws(FuzzFailure) -> (String, String) {
        let name: String
        if rest.first == UInt8(ascii: "\"") {
            name = try quoted()
        } else {
            name = String(decoding: rest.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            rest = rest.dropFirst(name.utf8.count)
        }
        try require(take("="), "no = after \(name)")
        return (name, try quoted())
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func quoted() throws(FuzzFailure) -> String {
        try require(take("\""), "no quote")
        var text: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
            case let next? where next == UInt8(ascii: "\\") || next == UInt8(ascii: "\""): text.append(next)
            default: throw FuzzFailure(description: "an unknown escape")
            }
        }
        try require(rest.startIndex > 0, "no end of a text")
        return String(decoding: text, as: UTF8.self)
    }
}

/// Reads counters and gauges of Prometheus' protocol buffers, strictly, and independently of the writer.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    /// - Throws: ``FuzzFailure`` if a message is not of the format.
    static func samples(_ page: [UInt8]) throws(FuzzFailure) -> [PageSample] {
        var (reader, samples): (MessageReader, [PageSample]) = (MessageReader(rest: page[...]), [])
        while !reader.rest.isEmpty {
            let family = try fields(try reader.delimited())
            let names = family.filter { $0.number == 1 }
            try require(names.count == 1, "\(names.count) names of a family")
            for metric in family where metric.number == 4 {
                samples.append(try sample(String(decoding: names[0].bytes, as: UTF8.self), try fields(metric.bytes)))
            }
        }
        return samples
    }

    private static func sample(_ name: String, _ metric: [Field]) throws(FuzzFailure) -> PageSample {
        var (labels, value): ([(String, String)], Double?) = ([], nil)
        for field in metric {
            let parts = try fields(field.bytes)
            if field.number == 1 {
                try require(parts.map(\.number) == [1, 2], "the fields of a label")
                labels.append(
                    (String(decoding: parts[0].bytes, as: UTF8.self), String(decoding: parts[1].bytes, as: UTF8.self))
                )
            } else {
                try require(field.number == 2 || field.number == 3, "a metric with the field \(field.number)")
                guard let number = parts.first(where: { $0.number == 1 }), number.bytes.count == 8 else {
                    throw FuzzFailure(description: "a metric without a value")
                }
                value = Double(bitPattern: number.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
        guard let value else { throw FuzzFailure(description: "a metric without a value") }
        return PageSample(name, labels, value)
    }

    private struct Field {
        let number: UInt64
        let bytes: ArraySlice<UInt8>
    }

    private static func fields(_ message: ArraySlice<UInt8>) throws(FuzzFailure) -> [Field] {
        var (reader, fields): (MessageReader, [Field]) = (MessageReader(rest: message), [])
        while !reader.rest.isEmpty {
            let key = try reader.varint()
            switch key & 7 {
            case 0:
                let before = reader.rest
                _ = try reader.varint()
                fields.append(Field(number: key >> 3, bytes: before[..<reader.rest.startIndex]))
            case 1: fields.append(Field(number: key >> 3, bytes: try reader.take(8)))
            case 2: fields.append(Field(number: key >> 3, bytes: try reader.delimited()))
            default: throw FuzzFailure(description: "the wire type \(key & 7)")
            }
        }
        return fields
    }

    private mutating func delimited() throws(FuzzFailure) -> ArraySlice<UInt8> {
        try take(Int(try varint()))
    }

    private mutating func take(_ count: Int) throws(FuzzFailure) -> ArraySlice<UInt8> {
        try require(count <= rest.count, "\(count) bytes of \(rest.count)")
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func varint() throws(FuzzFailure) -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            try require(shift < 64, "a long varint")
        }
        throw FuzzFailure(description: "no end of a varint")
    }
}
