// SPDX-License-Identifier: Apache-2.0

/// Reads pages of OpenMetrics 2.0, strictly, by the ABNF of the specification and by its rules in prose that say MUST.
/// Each function is a production of the grammar and stands in its order. It shares no code with the encoder.
///
/// It differs from what the specification wants of a server in one point: it refuses a page for a wrong exemplar, which a
/// server ignores. Names that the specification reserves (a leading underscore, colons) are accepted, because a reader does
/// not know whether the page comes from a system that may use them.
struct OpenMetrics2Reader {
    typealias Page = OpenMetrics2Page
    typealias Bytes = OpenMetrics2Page.Bytes

    /// Why a page is refused.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private let bytes: Bytes
    private var position = 0
    private var page = Page()
    private var names: Set<Bytes> = []
    /// The labels of the metrics of the last family.
    private var labelSets: Set<Set<Page.Label>> = []

    /// - Throws: ``Refusal`` if the page is invalid in any part.
    static func read(_ bytes: Bytes) throws(Refusal) -> Page {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Refusal(description: "not UTF-8") }
        var reader = OpenMetrics2Reader(bytes)
        try reader.exposition()
        return reader.page
    }

    static func read(_ text: String) throws(Refusal) -> Page { try read(Array(text.utf8)) }

    private init(_ bytes: Bytes) { self.bytes = bytes }

    // MARK: - Lines

    /// exposition = metricset HASH SP %s"EOF" [ LF ]
    private mutating func exposition() throws(Refusal) {
        while true {
            guard take("# ") else {
                try sample()
                continue
            }
            if take("EOF") { break }
            try metricDescriptor()
        }
        _ = take("\n")
        if position != bytes.count { throw refusal("bytes after the end") }
        try page.families.last?.check()
    }

    /// metric-descriptor
    private mutating func metricDescriptor() throws(Refusal) {
        guard let keyword = ["TYPE ", "HELP ", "UNIT "].first(where: { take($0) }) else { throw refusal("a comment") }
        let name = try next == UInt8(ascii: "\"") ? quotedNonEmpty() : metricName()
        try expect(" ")
        try begin(name)
        let family = page.families.count - 1
        if !page.families[family].metrics.isEmpty { throw refusal("metadata after samples") }
        switch keyword {
        case "TYPE ":
            if page.families[family].type != nil { throw refusal("two TYPE lines") }
            page.families[family].type = try metricType()
        case "HELP ":
            if page.families[family].help != nil { throw refusal("two HELP lines") }
            page.families[family].help = try escapedString()
        default:
            if page.families[family].unit != nil { throw refusal("two UNIT lines") }
            page.families[family].unit = takeWhile(Self.isMetricNameCharacter)
        }
        try expect("\n")
    }

    private mutating func metricType() throws(Refusal) -> String {
        let type = String(decoding: takeWhile { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }, as: UTF8.self)
        let types = ["counter", "gauge", "histogram", "gaugehistogram", "stateset", "info", "summary", "unknown"]
        guard types.contains(type) else { throw refusal("the type \(type)") }
        return type
    }

    /// sample = metricname-and-labels SP value [SP timestamp] [SP start-timestamp] *exemplar LF
    private mutating func sample() throws(Refusal) {
        let (name, labels) = try metricNameAndLabels()
        try expect(" ")
        var sample = Page.Sample(value: try value())
        if next == UInt8(ascii: " "), let after = peek(1), after != UInt8(ascii: "s"), after != UInt8(ascii: "#") {
            try expect(" ")
            sample.timestamp = try realNumber().value
        }
        if take(" st@") { sample.start = try realNumber().value }
        while take(" # ") { sample.exemplars.append(try exemplar()) }
        try expect("\n")
        try begin(name)
        try append(sample, labels)
    }

    /// Begins a family, or continues the last one.
    private mutating func begin(_ name: Bytes) throws(Refusal) {
        if page.families.last?.name == name { return }
        guard names.insert(name).inserted else { throw refusal("a family in two parts") }
        try page.families.last?.check()
        page.families.append(Page.Family(name: name))
        labelSets = []
    }

    private mutating func append(_ sample: Page.Sample, _ labels: [Page.Label]) throws(Refusal) {
        let family = page.families.count - 1
        // An empty value means that the label is absent.
        let set = Set(labels.filter { !$0.value.isEmpty })
        let metrics = page.families[family].metrics
        if let last = metrics.last, set == Set(last.labels.filter { !$0.value.isEmpty }) {
            guard let previous = last.samples.last?.timestamp, let time = sample.timestamp, time > previous else {
                throw refusal("a metric twice")
            }
            page.families[family].metrics[metrics.count - 1].samples.append(sample)
            return
        }
        guard labelSets.insert(set).inserted else { throw refusal("a metric in two parts") }
        page.families[family].metrics.append(Page.Metric(labels: labels, samples: [sample]))
    }

    /// exemplar = SP HASH SP labels-in-braces SP number SP timestamp
    private mutating func exemplar() throws(Refusal) -> Page.Exemplar {
        try expect("{")
        let labels = try self.labels(isFirst: true)
        try expect(" ")
        let value = try number()
        try expect(" ")
        return Page.Exemplar(labels: labels, value: value, timestamp: try realNumber().value)
    }

    // MARK: - Names and labels

    /// metricname-and-labels = metricname [labels-in-braces] / name-and-labels-in-braces
    private mutating func metricNameAndLabels() throws(Refusal) -> (Bytes, [Page.Label]) {
        if take("{") {
            let name = try quotedNonEmpty()
            return (name, try labels(isFirst: false))
        }
        let name = try metricName()
        return (name, take("{") ? try labels(isFirst: true) : [])
    }

    /// The labels up to the closing brace.
    private mutating func labels(isFirst: Bool) throws(Refusal) -> [Page.Label] {
        var labels: [Page.Label] = []
        while !take("}") {
            if !isFirst || !labels.isEmpty { try expect(",") }
            let name = try next == UInt8(ascii: "\"") ? quotedNonEmpty() : labelName()
            try expect("=\"")
            let value = try escapedString()
            try expect("\"")
            if labels.contains(where: { $0.name == name }) { throw refusal("a label twice") }
            labels.append(Page.Label(name: name, value: value))
        }
        return labels
    }

    private mutating func metricName() throws(Refusal) -> Bytes {
        guard let first = next, Self.isMetricNameCharacter(first), !Self.isDigit(first) else {
            throw refusal("no metric name")
        }
        return takeWhile(Self.isMetricNameCharacter)
    }

    private mutating func labelName() throws(Refusal) -> Bytes {
        guard let first = next, Self.isMetricNameCharacter(first), !Self.isDigit(first) else {
            throw refusal("no label name")
        }
        let name = takeWhile(Self.isMetricNameCharacter)
        if name.contains(UInt8(ascii: ":")) { throw refusal("a colon in a label name") }
        return name
    }

    private mutating func quotedNonEmpty() throws(Refusal) -> Bytes {
        try expect("\"")
        let name = try escapedString()
        try expect("\"")
        if name.isEmpty { throw refusal("an empty name") }
        return name
    }

    /// escaped-string = *escaped-char. An undefined escape is the backslash and the character.
    private mutating func escapedString() throws(Refusal) -> Bytes {
        var text: Bytes = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\"") { break }
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            switch next {
            case nil, UInt8(ascii: "\n"): throw refusal("a line feed after a backslash")
            case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(bytes[position])
            default: text += [byte, bytes[position]]
            }
            position += 1
        }
        return text
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isMetricNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: ":"): true
        default: isDigit(byte)
        }
    }

    // MARK: - Values

    /// value = number / "{" composite-value "}"
    private mutating func value() throws(Refusal) -> Page.Value {
        guard take("{") else { return .number(try number()) }
        let isGauge = take("g")
        let prefix = isGauge ? "g" : ""
        try expect("count:")
        let count = try number()
        try expect(",\(prefix)sum:")
        let sum = try number()
        try expect(",")
        if !isGauge, take("quantile:[") {
            let quantiles = try self.quantiles()
            try expect("}")
            return .summary(Page.Summary(count: count, sum: sum, quantiles: quantiles))
        }
        var histogram = Page.Histogram(isGauge: isGauge, count: count, sum: sum)
        if take("schema:") {
            histogram.native = try nativeBuckets()
            if take(",bucket:[") { histogram.classic = try classicBuckets() }
        } else {
            try expect("bucket:[")
            histogram.classic = try classicBuckets()
        }
        try expect("}")
        return .histogram(histogram)
    }

    private mutating func quantiles() throws(Refusal) -> [Page.Bucket] {
        var quantiles: [Page.Bucket] = []
        while !take("]") {
            if !quantiles.isEmpty { try expect(",") }
            let quantile = try realNumber().value
            try expect(":")
            quantiles.append(Page.Bucket(bound: quantile, count: try number()))
        }
        return quantiles
    }

    /// classic-buckets: a first bucket may be -Inf, the last one is +Inf.
    private mutating func classicBuckets() throws(Refusal) -> [Page.Bucket] {
        var buckets: [Page.Bucket] = []
        while true {
            if take("+Inf:") {
                buckets.append(Page.Bucket(bound: .infinity, count: try number()))
                try expect("]")
                return buckets
            }
            let bound = buckets.isEmpty && take("-Inf") ? -Double.infinity : try realNumber().value
            try expect(":")
            buckets.append(Page.Bucket(bound: bound, count: try number()))
            try expect(",")
        }
    }

    /// native-buckets after `schema:`
    private mutating func nativeBuckets() throws(Refusal) -> Page.Native {
        let schema = try integer()
        guard (-4...8).contains(schema) else { throw refusal("the schema \(schema)") }
        try expect(",zero_threshold:")
        let threshold = try realNumber().value
        try expect(",zero_count:")
        var native = Page.Native(schema: schema, zeroThreshold: threshold, zeroCount: try number())
        if take(",negative_spans:[") { native.negative = try buckets("negative", schema) }
        if take(",positive_spans:[") { native.positive = try buckets("positive", schema) }
        return native
    }

    /// The spans and the buckets of one sign, by index.
    private mutating func buckets(_ sign: String, _ schema: Int) throws(Refusal) -> [Int: Page.Number] {
        var spans: [(offset: Int, length: Int)] = []
        while !take("]") {
            if !spans.isEmpty { try expect(",") }
            let offset = spans.isEmpty ? try integer() : try nonNegativeInteger()
            try expect(":")
            spans.append((offset, try nonNegativeInteger()))
        }
        try expect(",\(sign)_buckets:[")
        var counts: [Page.Number] = []
        while !take("]") {
            if !counts.isEmpty { try expect(",") }
            counts.append(try number())
        }
        guard spans.reduce(0, { $0 + $1.length }) == counts.count else { throw refusal("spans of another length") }
        // The bucket of the largest finite number; the next one is that of infinity.
        let largest = schema >= 0 ? 1_024 << schema : 1_024 >> -schema
        var (buckets, index, used): ([Int: Page.Number], Int, Int) = ([:], 0, 0)
        for span in spans {
            index += span.offset
            for _ in 0..<span.length {
                if index > largest + 1 { throw refusal("a bucket beyond infinity") }
                if counts[used].value != 0 { buckets[index] = counts[used] }
                (index, used) = (index + 1, used + 1)
            }
        }
        return buckets
    }

    // MARK: - Numbers

    /// number: a real number, an infinity or NaN
    private mutating func number() throws(Refusal) -> Page.Number {
        let signs = next == UInt8(ascii: "-") || next == UInt8(ascii: "+") ? 1 : 0
        guard let letter = peek(signs), letter | 0x20 == UInt8(ascii: "i") || letter | 0x20 == UInt8(ascii: "n") else {
            return try realNumber()
        }
        let isNegative = next == UInt8(ascii: "-")
        position += signs
        let word = takeWhile { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
        switch String(decoding: word.map { $0 | 0x20 }, as: UTF8.self) {
        case "inf", "infinity": return Page.Number(isNegative ? -.infinity : .infinity)
        case "nan" where signs == 0: return Page.Number(.nan)
        default: throw refusal("no number")
        }
    }

    /// realnumber, which must fit into a double
    private mutating func realNumber() throws(Refusal) -> Page.Number {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative || next == UInt8(ascii: "+") { position += 1 }
        let whole = takeWhile(Self.isDigit)
        let hasPoint = take(".")
        let fraction = hasPoint ? takeWhile(Self.isDigit) : []
        if whole.isEmpty, fraction.isEmpty { throw refusal("no number") }
        var exponent = ""
        let hasExponent = take("e") || take("E")
        if hasExponent {
            exponent = take("-") ? "-" : take("+") ? "+" : ""
            let digits = takeWhile(Self.isDigit)
            if digits.isEmpty { throw refusal("no exponent") }
            exponent = "e" + exponent + String(decoding: digits, as: UTF8.self)
        }
        let digits = String(decoding: whole, as: UTF8.self)
        if !hasPoint, !hasExponent, !isNegative, let exact = UInt64(digits) { return Page.Number(exact) }
        let text = "\(isNegative ? "-" : "")0\(digits).\(String(decoding: fraction, as: UTF8.self))0\(exponent)"
        guard let value = Double(text), value.isFinite else { throw refusal("the number \(text)") }
        return Page.Number(value)
    }

    /// integer, limited to nine digits: none that has a meaning has more.
    private mutating func integer() throws(Refusal) -> Int {
        if take("-") { return -(try digits()) }
        return try nonNegativeInteger()
    }

    private mutating func nonNegativeInteger() throws(Refusal) -> Int {
        _ = take("+")
        return try digits()
    }

    private mutating func digits() throws(Refusal) -> Int {
        let digits = takeWhile(Self.isDigit)
        guard digits.count < 10, let value = Int(String(decoding: digits, as: UTF8.self)) else {
            throw refusal("no integer")
        }
        return value
    }

    // MARK: - Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func peek(_ offset: Int) -> UInt8? { position + offset < bytes.count ? bytes[position + offset] : nil }

    private mutating func take(_ text: String) -> Bool {
        var end = position
        for byte in text.utf8 {
            guard end < bytes.count, bytes[end] == byte else { return false }
            end += 1
        }
        position = end
        return true
    }

    private mutating func expect(_ text: String) throws(Refusal) {
        if !take(text) { throw refusal("no \(text.debugDescription)") }
    }

    private mutating func takeWhile(_ isPart: (UInt8) -> Bool) -> Bytes {
        let start = position
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
        return Bytes(bytes[start..<position])
    }

    private func refusal(_ reason: String) -> Refusal {
        let start = max(0, position - 40)
        let context = String(decoding: bytes[start..<min(bytes.count, position + 40)], as: UTF8.self)
        return Refusal(description: "\(reason) at byte \(position): \(context.debugDescription)")
    }
}
