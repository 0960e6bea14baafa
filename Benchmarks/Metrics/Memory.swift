// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import BenchmarkSupport
import CAllocations
import CAxiomSupport
import Foundation

/// How often an operation allocates.
enum AllocationCount {
    static func perOperation(_ body: (Int) -> Void) -> Double {
        body(2_000)
        let before = axiom_allocations_of_thread()
        body(10_000)
        return Double(axiom_allocations_of_thread() - before) / 10_000
    }
}

/// How many bytes of the heap a series takes at rest: all of them, divided by the series of a family with two labels.
enum Memory {
    static let series = 10_000

    static func measure(only: String) throws -> [MetricsReport.Entry] {
        guard "memory/".hasPrefix(only) || only.hasPrefix("memory/") else { return [] }
        let options = MetricOptions(seriesLimit: series)
        return [
            try entry("memory/counter", 300) { registry in
                let family = try registry.counters(
                    "memory_requests_total",
                    help: "C.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: options
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").increment() }
            },
            try entry("memory/histogram", 1_024) { registry in
                let family = try registry.histograms(
                    "memory_request_duration_seconds",
                    help: "H.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: options
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").observe(1) }
            },
            try entry("memory/exponential", 2_560) { registry in
                let family = try registry.exponentialHistograms(
                    "memory_request_latency_seconds",
                    help: "H.",
                    labels: Label<String>("client"),
                    Label<String>("action"),
                    options: options
                )
                for index in 0..<series { family("ShoppingCartClient", "action\(index)").observe(1) }
            },
            try attack(),
        ]
    }

    /// The bytes that a family takes beyond its bound when a million label values are thrown at it.
    static func attack() throws -> MetricsReport.Entry {
        let registry = Registry()
        let family = try registry.counters("attack_total", help: "C.", labels: Label<String>("user"))
        for id in 0..<2_000 { family("user-\(id)").increment() }
        let before = axiom_heap_bytes()
        for id in 0..<1_000_000 { family("user-\(id)").increment() }
        keep(registry.collect().families.count)
        let bytes = Double(axiom_heap_bytes() - before)
        return MetricsReport.Entry(id: "memory/attack", unit: "bytes", value: bytes, goal: 5e6, isMet: bytes <= 5e6)
    }

    private static func entry(
        _ id: String,
        _ goal: Double,
        _ fill: (Registry) throws -> Void
    ) throws -> MetricsReport.Entry {
        let registry = Registry()
        let before = axiom_heap_bytes()
        try fill(registry)
        keep(registry.collect().families.count)
        let bytes = Double(axiom_heap_bytes() - before) / Double(series)
        keep(registry)
        return MetricsReport.Entry(id: id, unit: "bytes/series", value: bytes, goal: goal, isMet: bytes <= goal)
    }
}

/// A mebibyte that is copied.
final class Block: @unchecked Sendable {
    // Unchecked because of the pointers: one benchmark body at a time copies.
    private let source: UnsafeMutablePointer<UInt8>
    private let target: UnsafeMutablePointer<UInt8>
    private let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        source = .allocate(capacity: count)
        source.initialize(from: bytes, count: count)
        target = .allocate(capacity: count)
        target.initialize(from: bytes, count: count)
    }

    @inline(never)
    func copy() {
        memcpy(target, source, count)
    }
}
