// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomInstrumentation
import AxiomMetrics
import Testing

/// An exemplar on a page in OpenMetrics.
struct PageExemplar {
    /// The name and the labels up to `le`, and the bound: `x_bucket{client="A",le="0.01`.
    let bucket: String
    /// The bound of the bucket before, which is not part of the bucket.
    let lower: Double
    let upper: Double
    let value: Double
    let trace: TraceID
    /// The id of the span in hexadecimal digits.
    let span: String
    let timestamp: Double

    /// All exemplars of a page. Requires that a bucket's line has its labels in the order of Axiom's pages.
    static func all(_ page: String) throws -> [PageExemplar] {
        var (found, series, lower) = ([PageExemplar](), "", -Double.infinity)
        for line in page.split(separator: "\n") where !line.hasPrefix("#") {
            guard let match = line.firstMatch(of: /^(.*_bucket\{.*)le="([^"]+)"\} [0-9]+(?: # (.*))?$/) else {
                #expect(!line.contains(" # "), "only buckets have exemplars: \(line)")
                continue
            }
            if match.1 != series { (series, lower) = (String(match.1), -.infinity) }
            let upper = try #require(Double(match.2.replacing("Inf", with: "infinity")))
            if let text = match.3 {
                found.append(try PageExemplar(text, "\(series)le=\"\(match.2)", lower: lower, upper: upper))
            }
            lower = upper
        }
        return found
    }

    private init(_ text: Substring, _ bucket: String, lower: Double, upper: Double) throws {
        let match = try #require(
            text.wholeMatch(of: /\{trace_id="([0-9a-f]{32})",span_id="([0-9a-f]{16})"\} ([0-9.e-]+) ([0-9.]+)/),
            "\(text)"
        )
        (self.bucket, self.lower, self.upper) = (bucket, lower, upper)
        trace = try #require(TraceID(String(match.1)))
        span = String(match.2)
        value = try #require(Double(match.3))
        timestamp = try #require(Double(match.4))
    }
}

extension Registry {
    /// The exemplars of a page that is made now.
    func pageExemplars() throws -> [PageExemplar] {
        try PageExemplar.all(ExpositionFormat.openMetrics.page(collect()))
    }
}
#endif
