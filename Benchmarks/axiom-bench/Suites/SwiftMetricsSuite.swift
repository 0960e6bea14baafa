// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomMetrics
import AxiomSwiftMetrics
import CoreMetrics

/// What recording through swift-metrics costs, beside the registry's own instruments and beside swift-metrics with a
/// backend that does nothing.
enum SwiftMetricsSuite {
    static let suite = BenchmarkSuite("swift-metrics") { suite in
        addOwn(to: &suite)
        addHeld(to: &suite)
        addMade("", to: &suite) { AxiomMetricsFactory(registry: Registry()) }
        addMade("/expiring", to: &suite) {
            AxiomMetricsFactory(registry: Registry(), options: .init(idleExpiry: .seconds(60)))
        }
        addMade("/nothing behind", to: &suite) { NOOPMetricsHandler.instance }
        addCrowds("", to: &suite) { AxiomMetricsFactory(registry: Registry()) }
        addCrowds("/nothing behind", to: &suite) { NOOPMetricsHandler.instance }
    }

    /// Metrics that are made for each event by several threads, a series for each thread.
    private static func addCrowds<Factory: MetricsFactory & Sendable>(
        _ suffix: String,
        to suite: inout BenchmarkSuite,
        _ make: @escaping @Sendable () -> Factory
    ) {
        let perThread = (0..<16).map { [dimensions[0], ("host", "host\($0)")] }
        suite.addCrowds("crowd.made/counter.increment/own\(suffix)", goal: suffix.isEmpty ? 1.5 : nil, shared: make()) {
            factory,
            thread,
            iterations in
            let dimensions = perThread[thread]
            for _ in 0..<iterations {
                CoreMetrics.Counter(label: "made", dimensions: dimensions, factory: factory).increment()
            }
        }
    }

    private static let dimensions = [
        ("method", "GET"), ("path", "/users/{id}/orders"), ("status", "200"), ("host", "shop.example.com"),
    ]

    /// The registry's own instruments.
    private static func addOwn(to suite: inout BenchmarkSuite) {
        suite.add("own/counter.increment", fixture: try Registry().counter("own_total", help: "C.")) {
            counter,
            iterations in
            for _ in 0..<iterations { counter.increment() }
        }
        suite.add("own/histogram.observe.ns", fixture: try Registry().histogram("own_seconds", help: "H.")) {
            histogram,
            iterations in
            for _ in 0..<iterations { histogram.observe(nanoseconds: 30_000_000) }
        }
        suite.add("own/family.lookup+increment/2", fixture: try family()) { family, iterations in
            for _ in 0..<iterations { family("GET", "/users/{id}/orders").increment() }
        }
    }

    private static func family() throws -> Family<AxiomMetrics.Counter, String, String> {
        try Registry().counters(
            "own_family_total",
            help: "C.",
            labels: Label<String>("method"),
            Label<String>("path")
        )
    }

    /// Metrics that were made once.
    private static func addHeld(to suite: inout BenchmarkSuite) {
        suite.add(
            "held/counter.increment",
            fixture: CoreMetrics.Counter(label: "held", dimensions: dimensions, factory: factory)
        ) { counter, iterations in
            for _ in 0..<iterations { counter.increment() }
        }
        suite.add(
            "held/meter.set",
            fixture: CoreMetrics.Meter(label: "held.meter", dimensions: dimensions, factory: factory)
        ) { meter, iterations in
            for index in 0..<iterations { meter.set(index) }
        }
        suite.add(
            "held/timer.record",
            fixture: CoreMetrics.Timer(label: "held", dimensions: dimensions, factory: factory)
        ) { timer, iterations in
            for _ in 0..<iterations { timer.recordNanoseconds(30_000_000 as Int64) }
        }
    }

    private static var factory: AxiomMetricsFactory { AxiomMetricsFactory(registry: Registry()) }

    /// Metrics that are made for each event, among a thousand others.
    private static func addMade<Factory: MetricsFactory>(
        _ suffix: String,
        to suite: inout BenchmarkSuite,
        _ make: @escaping @Sendable () -> Factory
    ) {
        for count in [0, 2, 4] {
            let dimensions = Array(dimensions.prefix(count))
            suite.add("made/counter.increment/\(count)\(suffix)", fixture: filled(make())) { factory, iterations in
                for _ in 0..<iterations {
                    CoreMetrics.Counter(label: "made", dimensions: dimensions, factory: factory).increment()
                }
            }
        }
        let dimensions = Array(dimensions.prefix(2))
        suite.add("made/timer.record/2\(suffix)", fixture: filled(make())) { factory, iterations in
            for _ in 0..<iterations {
                let timer = CoreMetrics.Timer(label: "made", dimensions: dimensions, factory: factory)
                timer.recordNanoseconds(30_000_000 as Int64)
            }
        }
    }

    private static func filled<Factory: MetricsFactory>(_ factory: Factory) -> Factory {
        for index in 0..<1_000 {
            let own = dimensions.dropLast() + [("host", "host\(index)")]
            blackHole(CoreMetrics.Counter(label: "made", dimensions: Array(own), factory: factory))
        }
        return factory
    }
}
