// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import Testing

@Suite("Registration errors")
struct RegistrationErrorTests {
    let registry = Registry()

    @Test(
        "A name that is no metric name is refused",
        arguments: ["", "1a", "a-b", "a b", "a:b", "é", "a\n", "a{b=\"c\"}", "a.b"]
    )
    func badNames(name: String) {
        let error = error { try registry.gauge(name, help: "G.") }
        #expect(error?.code == .invalidName)
        #expect(error?.message.contains("\"\(name)\"") == true)
    }

    @Test("A counter must end in _total and an info metric in _info", arguments: ["a", "a_total_", "_total", "atotal"])
    func suffixes(name: String) {
        #expect(error { try registry.counter(name, help: "C.") }?.code == .invalidName)
        #expect(error { try registry.info(name, help: "I.", ["a": "b"]) }?.code == .invalidName)
    }

    @Test(
        "A label name that is malformed, reserved or used twice is refused",
        arguments: ["", "0a", "a-b", "a:b", "__a", "le", "quantile", "ok"]
    )
    func badLabels(name: String) {
        let error = error {
            try registry.histograms("h", help: "H.", labels: Label<String>("ok"), Label<String>(name))
        }
        #expect(error?.code == .invalidLabel)
        #expect(error?.family == "h")
    }

    @Test("A metric without help is refused", arguments: ["", " ", "\n\t"])
    func noHelp(help: String) {
        #expect(error { try registry.gauge("g", help: help) }?.code == .invalidHelp)
    }

    @Test(
        "Bounds that are missing, not increasing or not finite are refused",
        arguments: [
            [], [1, 1], [2, 1], [.nan], [1, .nan, 2], [1, .infinity], [-.infinity, 1], [0, -0.0],
            Buckets.linear(start: 0, width: 1, count: 1_000_000).upperBounds,
            Buckets.exponential(start: 1, factor: 1, count: 3).upperBounds,
            Buckets.linear(start: 0, width: 1, count: -5).upperBounds,
        ]
    )
    func badBuckets(bounds: [Double]) {
        #expect(error { try registry.histogram("h", help: "H.", buckets: Buckets(bounds)) }?.code == .invalidBuckets)
    }

    @Test("Another definition under a taken name is refused with the difference")
    func conflicts() throws {
        _ = try registry.counters("a_total", help: "A.", labels: Label<String>("x"))
        _ = try registry.histogram("h", help: "H.", buckets: [1])
        let conflicts = [
            error { try registry.floatCounters("a_total", help: "A.", labels: Label<String>("x")) },
            error { try registry.counters("a_total", help: "Other.", labels: Label<String>("x")) },
            error { try registry.counters("a_total", help: "A.", labels: Label<String>("y")) },
            error { try registry.counter("a_total", help: "A.") },
            error { try registry.histogram("h", help: "H.", buckets: [2]) },
            error { try registry.gauge("h", help: "H.") },
        ]
        let differences = ["floating-point", "Other.", "\"y\"", "[]", "[2.0]", "a gauge"]
        for (error, difference) in zip(conflicts, differences) {
            #expect(error?.code == .conflictingDefinition)
            #expect(error?.message.contains(difference) == true, "\(String(describing: error))")
        }
    }

    @Test(
        "Names that would be read as another family's samples are refused, in either order of registration",
        arguments: [
            ("foo", "foo_count"), ("foo", "foo_sum"), ("foo", "foo_bucket"), ("foo", "foo_created"),
        ]
    )
    func histogramClash(histogram: String, gauge: String) throws {
        _ = try registry.histogram(histogram, help: "H.")
        #expect(error { try registry.gauge(gauge, help: "G.") }?.code == .nameClash)
        let other = Registry()
        _ = try other.gauge(gauge, help: "G.")
        #expect(error { try other.histogram(histogram, help: "H.") }?.code == .nameClash)
    }

    @Test("A counter and a gauge with the same name in OpenMetrics are refused")
    func counterClash() throws {
        _ = try registry.counter("foo_total", help: "C.")
        let error = error { try registry.gauge("foo", help: "G.") }
        #expect(error?.code == .nameClash)
        #expect(error?.message.contains("foo_total") == true)
    }

    @Test("An error names the source location of the call, and a failed registration has no effect")
    func placeAndAtomicity() throws {
        let line = #line + 1
        let error = error { try registry.gauge("bad name", help: "G.") }
        #expect(error?.line == line)
        #expect(error?.file.hasSuffix("RegistrationErrorTests.swift") == true)
        _ = try registry.gauge("foo_sum", help: "G.")
        #expect(self.error { try registry.histogram("foo", help: "H.") }?.code == .nameClash)
        #expect(registry.collect().families.count == 1)
        _ = try registry.gauge("foo_count", help: "The refused histogram has not kept the name.")
    }

    private func error(_ body: () throws -> some Any) -> MetricsError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? MetricsError
        }
    }
}
