// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomMetrics
import CAxiomSupport

/// How many bytes of the heap a series takes at rest: all of them, divided by the series of a family with two labels.
enum MemorySuite {
    private static let series = 10_000

    static let suite = BenchmarkSuite("memory") { suite in
        suite.addValue("counter", unit: "bytes/series", kind: .sampled, options: .goal(.atMost(300))) {
            try bytes { registry in
                let family = try registry.counters(
                    "memory_requests_total",
                    help: "C.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: MetricOptions(seriesLimit: series)
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").increment() }
            }
        }
        suite.addValue("histogram", unit: "bytes/series", kind: .sampled, options: .goal(.atMost(1_024))) {
            try bytes { registry in
                let family = try registry.histograms(
                    "memory_request_duration_seconds",
                    help: "H.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: MetricOptions(seriesLimit: series)
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").observe(1) }
            }
        }
        suite.addValue("exponential", unit: "bytes/series", kind: .sampled, options: .goal(.atMost(2_560))) {
            try bytes { registry in
                let family = try registry.exponentialHistograms(
                    "memory_request_latency_seconds",
                    help: "H.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: MetricOptions(seriesLimit: series)
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").observe(1) }
            }
        }
        suite.addValue("attack", unit: "bytes", kind: .information, options: .goal(.atMost(5e6))) { try attack() }
    }

    private static func bytes(_ fill: (Registry) throws -> Void) throws -> Double {
        let registry = Registry()
        let before = axiom_heap_bytes()
        try fill(registry)
        blackHole(registry.collect().families.count)
        let bytes = Double(axiom_heap_bytes() - before) / Double(series)
        blackHole(registry)
        return bytes
    }

    /// The bytes that a family takes beyond its bound when a million label values are thrown at it.
    private static func attack() throws -> Double {
        let registry = Registry()
        let family = try registry.counters("attack_total", help: "C.", labels: Label<String>("user"))
        for id in 0..<2_000 { family("user-\(id)").increment() }
        let before = axiom_heap_bytes()
        for id in 0..<1_000_000 { family("user-\(id)").increment() }
        blackHole(registry.collect().families.count)
        return Double(axiom_heap_bytes() - before)
    }
}
