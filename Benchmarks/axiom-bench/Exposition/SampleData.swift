// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics

/// The metrics of a mid-size service: 10,000 counters with two labels and 1,000 histograms of 11 buckets, 1 MB as text.
enum SampleData {
    /// - Parameter clock: Says when series were created.
    static func makeRegistry(clock: TimeSource = .live) throws -> Registry {
        let registry = Registry(clock: clock)
        let options = MetricOptions(seriesLimit: 10_000)
        let requests = try registry.counters(
            "app_requests_total",
            help: "Requests served, by route and status.",
            labels: Label<String>("r"),
            Label<Int>("code"),
            options: options
        )
        for route in 0..<1_000 {
            for status in 0..<10 {
                requests("\(route)", 200 + status).increment(by: UInt64(route * 10 + status) * 37 % 1_000_003)
            }
        }
        let latencies = try registry.histograms(
            "app_seconds",
            help: "Time to serve a request, by route.",
            labels: Label<String>("r"),
            options: options
        )
        for route in 0..<1_000 {
            let latency = latencies("\(route)")
            for step in 1...60 { latency.observe(Double((route + 1) * step * 7_919 % 12_000) / 1_000) }
        }
        return registry
    }

    /// Counters and histograms, each one series.
    static let series = 11_000
}
