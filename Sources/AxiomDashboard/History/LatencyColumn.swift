// SPDX-License-Identifier: Apache-2.0

/// How long the calls of one step of time took: a column of the heat map, and its percentiles.
struct LatencyColumn: Sendable, Hashable {
    /// One count for each bucket, the last for what is beyond all bounds.
    let counts: [UInt32]
    /// p50, p90 and p99 in seconds; NaN without calls.
    let quantiles: SIMD4<Float>

    /// - Parameters:
    ///   - counts: In this step alone.
    ///   - bounds: The upper bounds of all buckets but the last.
    ///   - width: How many counts the column has: what is beyond them is added to the last.
    init(_ counts: [UInt64], bounds: [Double], width: Int) {
        let (inside, beyond) = (counts.prefix(width - 1), counts.dropFirst(width - 1).reduce(0, &+))
        self.counts = counts.isEmpty ? [] : (inside + [beyond]).map { UInt32(clamping: $0) }
        let spread = Spread(counts, bounds: bounds)
        quantiles = SIMD4(spread.float(0.5), spread.float(0.9), spread.float(0.99), .nan)
    }

    /// The calls in it.
    var total: UInt64 { counts.reduce(0) { $0 + UInt64($1) } }

    /// `p50,p90,p99,[counts]`
    func write(to json: inout JSONText) {
        for place in 0..<3 {
            json.number(quantiles[place])
            json.comma()
        }
        json.list(counts) { $0.integer($1) }
    }
}

extension TimeRing where Element == LatencyColumn {
    func write(to json: inout JSONText) {
        writeHead(to: &json, start: start)
        let columns = values
        for (place, name) in ["p50", "p90", "p99"].enumerated() {
            json.key(name)
            json.list(columns) { $0.number($1?.quantiles[place] ?? .nan) }
            json.comma()
        }
        json.key("counts")
        json.list(columns) { json, column in
            guard let column else { return json.raw("null" as StaticString) }
            json.list(column.counts) { $0.integer($1) }
        }
        json.raw("}}" as StaticString)
    }
}
