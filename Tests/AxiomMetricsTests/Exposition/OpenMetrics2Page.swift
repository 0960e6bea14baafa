// SPDX-License-Identifier: Apache-2.0

/// A page of OpenMetrics 2.0 as a reader finds it. Names and texts are bytes: Swift takes differently encoded characters
/// for equal.
struct OpenMetrics2Page: Equatable {
    typealias Bytes = [UInt8]

    /// A number with its exact value if it is an integer that the text states exactly.
    struct Number: Equatable {
        let value: Double
        let exact: UInt64?

        init(_ value: Double, exact: UInt64? = nil) {
            self.value = value
            self.exact = exact ?? (value.magnitude < 0x1p53 ? UInt64(exactly: value) : nil)
        }

        init(_ value: UInt64) { self.init(Double(value), exact: value) }

        static func == (left: Number, right: Number) -> Bool {
            left.exact == right.exact && (left.value == right.value || left.value.isNaN && right.value.isNaN)
        }

        static func <= (left: Number, right: Number) -> Bool {
            if let one = left.exact, let other = right.exact { return one <= other }
            return left.value <= right.value
        }
    }

    struct Label: Hashable {
        let name: Bytes
        let value: Bytes
    }

    struct Exemplar: Equatable {
        let labels: [Label]
        let value: Number
        let timestamp: Double
    }

    struct Bucket: Equatable {
        let bound: Double
        let count: Number
    }

    /// Native buckets; those without observations are left out.
    struct Native: Equatable {
        let schema: Int
        let zeroThreshold: Double
        let zeroCount: Number
        var negative: [Int: Number] = [:]
        var positive: [Int: Number] = [:]
    }

    struct Histogram: Equatable {
        var isGauge = false
        let count: Number
        let sum: Number
        var native: Native?
        var classic: [Bucket]?
    }

    struct Summary: Equatable {
        let count: Number
        let sum: Number
        let quantiles: [Bucket]
    }

    enum Value: Equatable {
        case number(Number)
        case histogram(Histogram)
        case summary(Summary)
    }

    struct Sample: Equatable {
        let value: Value
        var timestamp: Double?
        var start: Double?
        var exemplars: [Exemplar] = []
    }

    struct Metric: Equatable {
        let labels: [Label]
        var samples: [Sample]
    }

    struct Family: Equatable {
        let name: Bytes
        var type: String?
        var unit: Bytes?
        var help: Bytes?
        var metrics: [Metric] = []
    }

    var families: [Family] = []
}

extension OpenMetrics2Page {
    /// The page as text, in another way than the encoder's: all names in quotes, no bridged spans, all numbers as Swift
    /// prints them.
    var text: String {
        var text = ""
        for family in families {
            let name = Self.quoted(family.name)
            if let type = family.type { text += "# TYPE \(name) \(type)\n" }
            if let unit = family.unit { text += "# UNIT \(name) \(String(decoding: unit, as: UTF8.self))\n" }
            if let help = family.help { text += "# HELP \(name) \(Self.escaped(help))\n" }
            for metric in family.metrics {
                let labels = metric.labels.map { ",\(Self.quoted($0.name))=\(Self.quoted($0.value))" }.joined()
                for sample in metric.samples { text += "{\(name)\(labels)} \(Self.text(sample))\n" }
            }
        }
        return text + "# EOF"
    }

    private static func escaped(_ bytes: Bytes) -> String {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
            $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : $0 == "\"" ? "\\\"" : String($0)
        }.joined()
    }

    private static func quoted(_ bytes: Bytes) -> String { "\"\(escaped(bytes))\"" }

    private static func text(_ number: Number) -> String {
        number.exact.map { "\($0)" } ?? text(number.value)
    }

    private static func text(_ value: Double) -> String {
        value.isNaN ? "nan" : value.isInfinite ? (value > 0 ? "+INFINITY" : "-inf") : "\(value)"
    }

    private static func text(_ sample: Sample) -> String {
        let value: String =
            switch sample.value {
            case .number(let number): text(number)
            case .histogram(let histogram): text(histogram)
            case .summary(let summary):
                "{count:\(text(summary.count)),sum:\(text(summary.sum)),quantile:[\(text(summary.quantiles))]}"
            }
        let times = (sample.timestamp.map { " \($0)" } ?? "") + (sample.start.map { " st@\($0)" } ?? "")
        let exemplars = sample.exemplars.map { exemplar in
            let labels = exemplar.labels.map { "\(quoted($0.name))=\(quoted($0.value))" }.joined(separator: ",")
            return " # {\(labels)} \(text(exemplar.value)) \(exemplar.timestamp)"
        }
        return value + times + exemplars.joined()
    }

    private static func text(_ histogram: Histogram) -> String {
        let prefix = histogram.isGauge ? "g" : ""
        var fields = ["\(prefix)count:\(text(histogram.count))", "\(prefix)sum:\(text(histogram.sum))"]
        if let native = histogram.native {
            fields += ["schema:\(native.schema)", "zero_threshold:\(native.zeroThreshold)"]
            fields.append("zero_count:\(text(native.zeroCount))")
            fields += text(native.negative, "negative") + text(native.positive, "positive")
        }
        if let classic = histogram.classic { fields.append("bucket:[\(text(classic))]") }
        return "{\(fields.joined(separator: ","))}"
    }

    private static func text(_ buckets: [Int: Number], _ name: String) -> [String] {
        if buckets.isEmpty { return [] }
        let indices = buckets.keys.sorted()
        var (spans, previous): ([String], Int?) = ([], nil)
        for index in indices {
            spans.append("\(index - (previous.map { $0 + 1 } ?? 0)):1")
            previous = index
        }
        let counts = indices.compactMap { buckets[$0].map(text) }
        return [
            "\(name)_spans:[\(spans.joined(separator: ","))]", "\(name)_buckets:[\(counts.joined(separator: ","))]",
        ]
    }

    private static func text(_ buckets: [Bucket]) -> String {
        buckets.map { bucket in
            let bound = bucket.bound.isFinite ? "\(bucket.bound)" : bucket.bound > 0 ? "+Inf" : "-Inf"
            return "\(bound):\(text(bucket.count))"
        }.joined(separator: ",")
    }
}
