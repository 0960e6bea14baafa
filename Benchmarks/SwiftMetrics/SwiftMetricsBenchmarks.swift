// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomSwiftMetrics
import BenchmarkSupport
import CoreMetrics

/// Measures what recording through swift-metrics costs, beside the registry's own instruments and beside swift-metrics
/// with a backend that does nothing.
///
/// `swift-metrics-benchmarks [--format json] [--rounds N]`
@main
struct SwiftMetricsBenchmarks {
    private static let dimensions = [
        ("method", "GET"), ("path", "/users/{id}/orders"), ("status", "200"), ("host", "shop.example.com"),
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        var run = BenchmarkRun(iterations: 10_000, rounds: option("--rounds").flatMap { Int($0) } ?? 201)
        run.addFloors()
        let registry = Registry()
        try addOwn(registry, to: &run)
        addHeld(AxiomMetricsFactory(registry: registry), to: &run)
        addMade(AxiomMetricsFactory(registry: registry), "", to: &run)
        addMade(
            AxiomMetricsFactory(registry: Registry(), options: .init(idleExpiry: .seconds(60))),
            "/expiring",
            to: &run
        )
        addMade(NOOPMetricsHandler.instance, "/nothing behind", to: &run)
        let report = await run.run()
        print(option("--format") == "json" ? report.json : report.table(floor: "floor/atomic.add"))
    }

    /// The registry's own instruments.
    private static func addOwn(_ registry: Registry, to run: inout BenchmarkRun) throws {
        let counter = try registry.counter("own_total", help: "C.")
        run.add("own/counter.increment") { for _ in 0..<$0 { counter.increment() } }
        let histogram = try registry.histogram("own_seconds", help: "H.")
        run.add("own/histogram.observe.ns") { for _ in 0..<$0 { histogram.observe(nanoseconds: 30_000_000) } }
        let family = try registry.counters(
            "own_family_total",
            help: "C.",
            labels: Label<String>("method"),
            Label<String>("path")
        )
        run.add("own/family.lookup+increment/2") {
            for _ in 0..<$0 { family("GET", "/users/{id}/orders").increment() }
        }
    }

    /// Metrics that were made once.
    private static func addHeld(_ factory: AxiomMetricsFactory, to run: inout BenchmarkRun) {
        let counter = CoreMetrics.Counter(label: "held", dimensions: dimensions, factory: factory)
        run.add("held/counter.increment") { for _ in 0..<$0 { counter.increment() } }
        let meter = Meter(label: "held.meter", dimensions: dimensions, factory: factory)
        run.add("held/meter.set") { for index in 0..<$0 { meter.set(index) } }
        let timer = Timer(label: "held", dimensions: dimensions, factory: factory)
        run.add("held/timer.record") { for _ in 0..<$0 { timer.recordNanoseconds(30_000_000 as Int64) } }
    }

    /// Metrics that are made for each event, among a thousand others.
    private static func addMade(_ factory: some MetricsFactory, _ suffix: String, to run: inout BenchmarkRun) {
        for index in 0..<1_000 {
            let dimensions = Self.dimensions.dropLast() + [("host", "host\(index)")]
            keep(CoreMetrics.Counter(label: "made", dimensions: Array(dimensions), factory: factory))
        }
        for count in [0, 2, 4] {
            let dimensions = Array(Self.dimensions.prefix(count))
            run.add("made/counter.increment/\(count)\(suffix)") {
                for _ in 0..<$0 {
                    CoreMetrics.Counter(label: "made", dimensions: dimensions, factory: factory).increment()
                }
            }
        }
        let dimensions = Array(Self.dimensions.prefix(2))
        run.add("made/timer.record/2\(suffix)") {
            for _ in 0..<$0 {
                Timer(label: "made", dimensions: dimensions, factory: factory).recordNanoseconds(30_000_000 as Int64)
            }
        }
    }
}
