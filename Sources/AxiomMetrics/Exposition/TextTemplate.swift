// SPDX-License-Identifier: Apache-2.0

/// The bytes of a family that are the same on every text page.
struct TextTemplate: Sendable {
    /// The `# HELP` and `# TYPE` lines.
    let header: [UInt8]
    /// What stands before the labels of a series, and before the value of one that has none.
    let series: SeriesOpening
    /// The parts of a histogram's lines; nil for other kinds.
    let histogram: HistogramTemplate?

    init(name: String, kind: MetricKind, help: String, buckets: Buckets) {
        header = Array("# HELP \(name) \(Self.escaped(help: help))\n# TYPE \(name) \(kind.textName)\n".utf8)
        series = SeriesOpening(name)
        histogram = kind == .histogram ? HistogramTemplate(name, buckets) : nil
    }

    /// A help text with its backslashes and line feeds escaped, as text 0.0.4 demands; quotes stay as they are.
    private static func escaped(help: String) -> String {
        var escaped = ""
        for scalar in help.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The beginning of a line.
struct SeriesOpening: Sendable {
    /// `name{`
    let labelled: [UInt8]
    /// `name `
    let plain: [UInt8]

    init(_ name: String) {
        labelled = Array("\(name){".utf8)
        plain = Array("\(name) ".utf8)
    }
}

/// The parts of a histogram's lines.
struct HistogramTemplate: Sendable {
    /// `name_bucket{`
    let bucket: [UInt8]
    /// For each bucket, in order: `le="0.1"} `
    let bounds: [[UInt8]]
    let sum: SeriesOpening
    let count: SeriesOpening
    /// The bytes of all lines of one series beside its labels and values.
    let fixedBytes: Int

    init(_ name: String, _ buckets: Buckets) {
        let bucket = Array("\(name)_bucket{".utf8)
        self.bucket = bucket
        bounds = (buckets.upperBounds + [.infinity]).map { Array("le=\"\(NumberFormat.boundText($0))\"} ".utf8) }
        sum = SeriesOpening("\(name)_sum")
        count = SeriesOpening("\(name)_count")
        // Each bucket line has a comma and a line feed too; the other two have up to three bytes more.
        let bucketBytes = bounds.reduce(0) { $0 + $1.count + bucket.count + 2 }
        fixedBytes = bucketBytes + sum.labelled.count + count.labelled.count + 6
    }
}
