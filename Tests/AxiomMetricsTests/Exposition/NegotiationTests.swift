// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Testing

@Suite("Content negotiation")
struct NegotiationTests {
    private static let text = "text/plain; version=0.0.4; charset=utf-8"
    private static let openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    private static let openMetrics2 = "application/openmetrics-text; version=2.0.0; charset=utf-8"
    private static let protobuf =
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
    private static let askedProtobuf =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"

    static let table: [(accept: String?, contentType: String)] = [
        (nil, text),
        ("", text),
        ("*/*", text),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", text),
        // Prometheus 2.42, with native histograms and without.
        (
            "\(askedProtobuf),application/openmetrics-text;version=1.0.0;q=0.8,"
                + "application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", protobuf
        ),
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", openMetrics
        ),
        // Prometheus 3, without native histograms and with.
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
                + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", openMetrics + "; escaping=allow-utf-8"
        ),
        (
            "\(askedProtobuf);escaping=allow-utf-8;q=0.7,application/openmetrics-text;version=1.0.0;"
                + "escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            protobuf + "; escaping=allow-utf-8"
        ),
        (
            "text/plain;version=1.0.0;escaping=allow-utf-8",
            "text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8"
        ),
        ("text/plain;version=1.0.0", "text/plain; version=1.0.0; charset=utf-8"),
        // The old versions know no quoted names.
        ("text/plain;version=0.0.4;escaping=allow-utf-8", text + "; escaping=underscores"),
        ("text/plain;version=0.0.4;escaping=dots", text + "; escaping=dots"),
        ("text/plain;escaping=values", text + "; escaping=values"),
        ("text/plain;version=0.0.4;escaping=rot13", text),
        ("application/openmetrics-text", openMetrics),
        ("application/openmetrics-text;version=0.0.1", openMetrics.replacing("1.0.0", with: "0.0.1")),
        // Version 2.0.0 must be named, in this spelling; without a version the oldest one is meant.
        ("application/openmetrics-text;version=2.0.0", openMetrics2),
        ("application/openmetrics-text;version=\"2.0.0\";charset=utf-8;q=0.1", openMetrics2),
        ("application/openmetrics-text;version=2.0.0,application/openmetrics-text;version=1.0.0;q=0.1", openMetrics2),
        (
            "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=2.0.0;q=0.6",
            openMetrics2
        ),
        (
            "application/openmetrics-text;version=2.0.0;q=0.5,application/openmetrics-text;version=1.0.0;q=0.6",
            openMetrics
        ),
        ("application/openmetrics-text;version=2.0.0;q=0.5,text/plain;version=0.0.4;q=0.5", openMetrics2),
        ("application/openmetrics-text,application/openmetrics-text;version=2.0.0", openMetrics),
        ("application/openmetrics-text;q=0,application/openmetrics-text;version=2.0.0;q=0.1", openMetrics2),
        ("application/openmetrics-text;version=2.0.0;q=0,application/*", openMetrics),
        ("application/openmetrics-text;version=2.0.0;q=0", text),
        ("text/plain;q=0,application/openmetrics-text;version=1.0.0;q=0,*/*", protobuf),
        ("application/openmetrics-text;version=2.0.0;escaping=dots", openMetrics2 + "; escaping=dots"),
        ("application/openmetrics-text;version=2.0.0;escaping=allow-utf-8", openMetrics2 + "; escaping=allow-utf-8"),
        ("application/openmetrics-text;version=2.0.0;escaping=rot13", openMetrics2),
        ("application/openmetrics-text;version=2.0.0-rc0", text),
        ("application/openmetrics-text;version=2.0", text),
        ("application/openmetrics-text;version=2.1.0,application/openmetrics-text;version=2.0.0;q=0.1", openMetrics2),
        ("APPLICATION/OpenMetrics-Text ; Version=\"1.0.0\" ; Q=0.3 , text/plain;q=0.2", openMetrics),
        // The order decides between equals.
        ("text/plain, application/openmetrics-text", text),
        ("application/openmetrics-text, text/plain", openMetrics),
        ("text/plain;q=0.2, application/openmetrics-text;q=0.3", openMetrics),
        // A q of 0 refuses.
        ("application/openmetrics-text;q=0", text),
        ("application/openmetrics-text;version=1.0.0;q=0,text/plain;q=0.1", text),
        ("text/plain;version=0.0.4;q=0,*/*", openMetrics),
        ("text/plain;q=0,application/openmetrics-text;version=1.0.0;q=0.0,*/*;q=0.5", protobuf),
        ("text/plain;q=0", text),
        ("*/*;q=0", text),
        ("application/openmetrics-text;q=2,text/plain;q=0.1", text),
        ("application/openmetrics-text;q=x,text/plain;q=0.1", text),
        ("application/*", openMetrics),
        ("text/*;q=0.5,application/json", text),
        // Another message or encoding is another format.
        ("application/vnd.google.protobuf", text),
        ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", text),
        (",,;;q=1,=,/;q=0.1", text),
    ]

    @Test("Every kind of Accept header selects its format, which the content type names", arguments: table.indices)
    func negotiation(_ row: Int) {
        let (accept, contentType) = Self.table[row]
        #expect(ExpositionFormat.negotiate(accept: accept).contentType == contentType, "\(accept ?? "none")")
    }

    @Test("A header of any length is read as far as its first 4,096 bytes, without the entry that reaches beyond")
    func longHeaders() {
        let filler = String(repeating: "a/b;q=0.1,", count: 400)
        #expect(ExpositionFormat.negotiate(accept: filler + Self.openMetricsShort).contentType == Self.openMetrics)
        let long = String(repeating: "a/b;q=0.1,", count: 3_000)
        #expect(ExpositionFormat.negotiate(accept: long + Self.openMetricsShort).contentType == Self.text)
        #expect(ExpositionFormat.negotiate(accept: Self.openMetricsShort + "," + long).contentType == Self.openMetrics)
        // Cut where it is, the last entry would be another.
        let reaches = String(repeating: "a,", count: 2_030) + "application/openmetrics-text;version=1.0.0;q=0"
        #expect(ExpositionFormat.negotiate(accept: reaches).contentType == Self.text)
        for strange in [
            String(repeating: ",", count: 30_000), String(repeating: ";", count: 30_000),
            String(repeating: "\"", count: 30_001), String(repeating: "é", count: 30_000),
        ] {
            #expect(ExpositionFormat.negotiate(accept: strange).contentType == Self.text)
        }
    }

    private static let openMetricsShort = "application/openmetrics-text"
}
