// SPDX-License-Identifier: Apache-2.0

/// The productions of values and numbers.
extension OpenMetrics2Reader {
    /// value = number / "{" composite-value "}"
    mutating func value() throws(Refusal) -> Page.Value {
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
    mutating func number() throws(Refusal) -> Page.Number {
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
    mutating func realNumber() throws(Refusal) -> Page.Number {
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
}
