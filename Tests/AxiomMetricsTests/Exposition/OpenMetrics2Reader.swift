// SPDX-License-Identifier: Apache-2.0

/// Reads pages of OpenMetrics 2.0, strictly, by the ABNF of the specification and by its rules in prose that say MUST.
/// Each function is a production of the grammar. It shares no code with the encoder.
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
    var position = 0
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

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isMetricNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: ":"): true
        default: isDigit(byte)
        }
    }

    // MARK: - Bytes

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func peek(_ offset: Int) -> UInt8? { position + offset < bytes.count ? bytes[position + offset] : nil }

    mutating func take(_ text: String) -> Bool {
        var end = position
        for byte in text.utf8 {
            guard end < bytes.count, bytes[end] == byte else { return false }
            end += 1
        }
        position = end
        return true
    }

    mutating func expect(_ text: String) throws(Refusal) {
        if !take(text) { throw refusal("no \(text.debugDescription)") }
    }

    mutating func takeWhile(_ isPart: (UInt8) -> Bool) -> Bytes {
        let start = position
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
        return Bytes(bytes[start..<position])
    }

    func refusal(_ reason: String) -> Refusal {
        let start = max(0, position - 40)
        let context = String(decoding: bytes[start..<min(bytes.count, position + 40)], as: UTF8.self)
        return Refusal(description: "\(reason) at byte \(position): \(context.debugDescription)")
    }
}
