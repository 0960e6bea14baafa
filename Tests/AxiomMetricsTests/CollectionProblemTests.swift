// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomMetrics

@Suite("Problems of a collection")
struct CollectionProblemTests {
    private struct Failure: Error {}

    private struct Thrower: Collector {
        func collect() throws -> [CollectedFamily] { throw Failure() }
    }

    private struct Rooms: Collector {
        var help = "Rooms."
        func collect() throws -> [CollectedFamily] {
            var rooms = CollectedFamily.gauge("rooms", help: help, labels: "floor")
            rooms.add(3, "first")
            return [rooms, CollectedFamily.gauge("no name", help: "N.")]
        }
    }

    /// Gives another help text each time.
    private final class Fickle: Collector {
        private let calls = Lock(0)
        func collect() throws -> [CollectedFamily] {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            var family = CollectedFamily.gauge("fickle", help: "Call \(call).")
            family.add(1)
            return [family]
        }
    }

    @Test("A callback and a collector that throw are reported, at most once a minute each, and counted each time")
    func failures() throws {
        let time = ManualTime()
        let reports = Journal<MetricsError>()
        let registry = Registry(clock: .manual(time), onProblem: { reports.write($0) })
        registry.showOwnMetrics()
        #expect(registry.collect().value("axiom_metrics_collection_problems_total", ["reason": "failed"]) == 0)
        try registry.gaugeCallback("depth", help: "D.") { throw Failure() }
        try registry.counterCallback("less_total", help: "L.") { -Double.random(in: 1...2) }
        registry.register(Thrower())
        for _ in 0..<5 { _ = registry.collect() }
        #expect(Set(reports.entries.map { $0.family ?? "none" }) == ["depth", "less_total", "none"])
        #expect(reports.entries.count == 3)
        #expect(reports.entries.contains { "\($0)".contains("Thrower") && $0.cause?.contains("Failure") == true })
        time.advance(by: .seconds(59))
        _ = registry.collect()
        #expect(reports.entries.count == 3)
        time.advance(by: .seconds(1))
        let page = registry.collect()
        #expect(reports.entries.count == 6)
        #expect(page.value("axiom_metrics_collection_problems_total", ["reason": "failed"]) == 14)
        #expect(page.value("axiom_metrics_collection_problems_total", ["reason": "invalid"]) == 7)
        #expect(page.value("axiom_metrics_collection_problems_total", ["reason": "late"]) == 0)
    }

    @Test("By default a problem is one line on standard error, without control characters")
    func line() throws {
        let pipe = Pipe()
        MetricsError(.collectorFailed, "The callback of a\u{1b}[31m\nb failed", family: "a", cause: Failure())
            .log(to: pipe.fileHandleForWriting.fileDescriptor)
        pipe.fileHandleForWriting.closeFile()
        let line = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(
            line
                == "warning: a metric is missing from the page: The callback of a\\u{1b}[31m\\u{a}b failed: Failure()\n"
        )
    }

    @Test("A collector's definitions are checked and rendered once, and again when they change")
    func definitions() throws {
        let registry = Registry(onProblem: { _ in })
        registry.register(Rooms())
        registry.register(Fickle())
        let (first, second) = (registry.collect(), registry.collect())
        let rooms = try #require(first.family("rooms")?.definition)
        #expect(second.family("rooms")?.definition === rooms)
        #expect(first.family("fickle")?.definition.help == "Call 1.")
        #expect(second.family("fickle")?.definition.help == "Call 2.")
        // What is wrong is said each time.
        #expect(first.problems.count == 1 && second.problems.map(\.code) == [.invalidName])
    }

    @Test("The definition cache is bounded")
    func boundedDefinitions() throws {
        let cache = DefinitionCache()
        for number in 0..<(DefinitionCache.capacity * 2) {
            _ = try cache.definition(of: .gauge("g\(number)", help: "G."))
        }
        #expect(cache.count <= DefinitionCache.capacity)
    }

    @Test("The registry's own families have the same definitions on each page")
    func ownDefinitions() throws {
        let registry = Registry()
        registry.showOwnMetrics()
        let (first, second) = (registry.collect(), registry.collect())
        #expect(!first.families.isEmpty)
        for (one, other) in zip(first.families, second.families) { #expect(one.definition === other.definition) }
    }
}
