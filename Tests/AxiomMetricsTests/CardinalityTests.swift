// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomMetrics

@Suite("Cardinality")
struct CardinalityTests {
    private enum Step: String, LabelValue, CaseIterable {
        case open
        case half
        case closed
    }

    private enum Partial: String, LabelValue, CaseIterable {
        case a
        case b
        case c
        static let allCases: [Partial] = [.b, .a]
    }

    private enum Only: String, LabelValue, CaseIterable { case one }

    private let time = ManualTime()

    @Test("A million hostile values make 2,001 series, and every observation is counted")
    func attack() throws {
        let reports = Journal<FamilyOverflow>()
        let registry = Registry(clock: .manual(time)) { reports.write($0) }
        registry.showOwnMetrics()
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("user"), Label<Int>("n"))
        for id in 0..<1_000_000 { family("user-\(id)", id).increment() }
        #expect(family.count == 2_001)
        let page = registry.collect()
        #expect(page.total("c_total") == 1_000_000)
        #expect(page.value("c_total", ["user": "_overflow", "n": "_overflow"]) == 998_000)
        #expect(page.value("axiom_metrics_overflow_total", ["family": "c_total"]) == 998_000)
        #expect(page.value("axiom_metrics_series", ["family": "c_total"]) == 2_001)
        #expect(reports.entries.count == 1)
        let report = try #require(reports.entries.first)
        #expect(report.family == "c_total" && report.limit == 2_000)
        #expect(report.first == "user=\"user-2000\",n=\"2000\"")
        #expect(report.time == 1_700_000_000)
        #expect(ExpositionFormat.text.page(page).utf8.count < 200_000)
    }

    @Test("The bound holds while many threads attack at once")
    func concurrentAttack() async throws {
        let reports = Journal<FamilyOverflow>()
        let registry = Registry { reports.write($0) }
        let family = try registry.histograms(
            "h",
            help: "H.",
            labels: Label<String>("a"),
            options: MetricOptions(seriesLimit: 10)
        )
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for id in 0..<5_000 { family("\(task)-\(id)").observe(1) } }
            }
        }
        #expect(family.count == 11)
        #expect(registry.collect().total("h") == 20_000)
        #expect(reports.entries.count == 1)
    }

    @Test("A look-up of the reserved value finds the overflow series, reports nothing and hides no later report")
    func reserved() throws {
        let reports = Journal<FamilyOverflow>()
        let registry = Registry(clock: .manual(time)) { reports.write($0) }
        registry.showOwnMetrics()
        let options = MetricOptions(seriesLimit: 2)
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"), options: options)
        for _ in 0..<3 { family("_overflow").increment() }
        #expect(reports.entries.isEmpty)
        #expect(registry.collect().family("c_total")?.overflow == nil)
        #expect(registry.collect().value("axiom_metrics_overflow_total", ["family": "c_total"]) == 0)
        for value in ["one", "two", "three"] { family(value).increment() }
        family("_overflow").increment()
        #expect(reports.entries.map(\.first) == ["a=\"three\""])
        #expect(registry.collect().value("c_total", ["a": "_overflow"]) == 5)
        #expect(registry.collect().value("axiom_metrics_overflow_total", ["family": "c_total"]) == 1)
        let two = try registry.counters("d_total", help: "D.", labels: Label<String>("a"), Label<String>("b"))
        _ = two("_overflow", "x")
        #expect(two.count == 1)
        let open = try registry.open(.counter, "e_total", help: "E.")
        try open([(name: "a", value: "_overflow")]).increment()
        #expect(registry.collect().family("e_total")?.overflow == nil)
        #expect(reports.entries.count == 1)
    }

    @Test("A long label value is cut between characters, stays a series of its own, and is counted")
    func longValues() throws {
        let registry = Registry()
        registry.showOwnMetrics()
        let options = MetricOptions(valueByteLimit: 64)
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"), options: options)
        let long = String(repeating: "é", count: 5_000)
        let values = [long + "1", long + "2", long, "x" + long, String(repeating: "k", count: 65)]
        for value in values { family(value).increment() }
        for value in values { family(value).increment() }
        let short = String(repeating: "k", count: 64)
        family(short).increment()
        let page = registry.collect()
        let shown = try #require(page.family("c_total")).map { $0.labels["a"] }
        #expect(Set(shown).count == 6 && shown.contains(short))
        for value in shown { #expect(value.utf8.count <= 64 && !value.unicodeScalars.contains("\u{fffd}"), "\(value)") }
        #expect(shown.contains { $0.hasPrefix("éé") && $0.contains("…[10001 bytes, ") })
        #expect(page.family("c_total")?.allSatisfy { $0.value == ($0.labels["a"] == short ? 1 : 2) } == true)
        #expect(page.value("axiom_metrics_overflow_total", ["family": "c_total"]) == 10)
        #expect(page.family("c_total")?.truncations == 10)
        let open = try registry.open(.counter, "d_total", help: "D.", options: options)
        #expect(try open([(name: "a", value: long)]).labels["a"].utf8.count <= 64)
    }

    @Test("The same long value is the same series in every registry and every process")
    func stableMark() throws {
        let value = String(repeating: "a", count: 2_000)
        for _ in 0..<2 {
            let family = try Registry().counters("c_total", help: "C.", labels: Label<String>("a"))
            #expect(family(value).labels["a"].hasSuffix("aaa…[2000 bytes, \(Self.hash(value))]"))
        }
    }

    private static func hash(_ text: String) -> String {
        let digits = Array(text.utf8).withUnsafeBytes { String(ByteHash.hash($0, seed: 0), radix: 16) }
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @Test("Twenty thousand values of 65 kB take a bounded amount of labels, also in the forms of all formats")
    func hostileBytes() throws {
        let reports = Journal<FamilyOverflow>()
        let registry = Registry { reports.write($0) }
        let options = MetricOptions(seriesLimit: 100_000, labelByteLimit: 500_000)
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"), options: options)
        let tail = String(repeating: "x", count: 65_000)
        for id in 0..<2_000 { family("\(id)\(tail)").increment() }
        let page = registry.collect()
        #expect(page.total("c_total") == 2_000)
        let labels = try #require(page.family("c_total")).reduce(0) { $0 + $1.labels.description.utf8.count }
        #expect((400_000...502_000).contains(labels))
        for format in ExpositionFormat.all {
            var buffer = ExpositionBuffer()
            format.encode(page, into: &buffer)
            #expect(buffer.count < 700_000, "\(format.kind)")
        }
        #expect(reports.entries.map(\.cause) == [.labelBytes])
        #expect(reports.entries.first?.description.contains("500000 bytes of labels") == true)
        // Bytes that a removed series leaves are used again.
        let first = family("0\(tail)")
        #expect(family.remove(first))
        #expect(family("other\(tail)").labels["a"].hasPrefix("other"))
    }

    @Test("The room of a removed series is reused")
    func roomAgain() throws {
        let registry = Registry()
        let family = try registry.gauges(
            "g",
            help: "G.",
            labels: Label<Int>("a"),
            options: MetricOptions(seriesLimit: 2)
        )
        let first = family(1)
        _ = family(2)
        let overflow = family(3)
        #expect(overflow.labels["a"] == "_overflow")
        family.remove(first)
        #expect(family(3) !== overflow)
        #expect(family(4) === overflow)
        #expect(family.remove(overflow))
        #expect(family.count == 2)
    }

    @Test("A limit and an expiry must be positive")
    func badOptions() {
        for options in [
            MetricOptions(seriesLimit: 0), MetricOptions(idleExpiry: .zero), MetricOptions(valueByteLimit: 63),
            MetricOptions(labelByteLimit: 1_023),
        ] {
            let error = #expect(throws: MetricsError.self) {
                try Registry().counter("c_total", help: "C.", options: options)
            }
            #expect(error?.code == .invalidOption)
        }
    }

    @Test("An idle series is removed only if it is unreferenced")
    func expiry() throws {
        let registry = Registry(clock: .manual(time))
        let family = try registry.counters(
            "c_total",
            help: "C.",
            labels: Label<String>("a"),
            options: MetricOptions(idleExpiry: .seconds(60))
        )
        let held = family("held")
        family("idle").increment()
        family("busy").increment()
        time.advance(by: .seconds(59))
        family("busy").increment()
        #expect(registry.collect().family("c_total")?.count == 3)
        time.advance(by: .seconds(1))
        #expect(registry.collect().family("c_total")?.map { $0.labels["a"] } == ["busy", "held"])
        held.increment()
        #expect(registry.collect().value("c_total", ["a": "held"]) == 1)
        #expect(registry.collect().value("c_total", ["a": "busy"]) == 2)
        family("idle").increment()
        #expect(registry.collect().value("c_total", ["a": "idle"]) == 1)
    }

    @Test("A family whose labels are enums has all its series from the beginning, each found as its own")
    func enumerated() throws {
        let registry = Registry()
        let family = try registry.counters(
            "c_total",
            help: "C.",
            labels: Label<Step>("from"),
            Label<Only>("one"),
            Label<Step>("to")
        )
        #expect(family.count == 9)
        #expect(registry.collect().family("c_total")?.count == 9)
        for from in Step.allCases {
            for to in Step.allCases {
                let child = family(from, .one, to)
                #expect(child.labels["from"] == from.rawValue && child.labels["to"] == to.rawValue)
                #expect(family(from, .one, to) === child)
            }
        }
        #expect(family.count == 9)
    }

    @Test("A case that allCases omits is found too")
    func partial() throws {
        let registry = Registry()
        let family = try registry.counters("c_total", help: "C.", labels: Label<Partial>("a"))
        #expect(family.count == 2)
        for value in [Partial.a, .b, .c] { #expect(family(value).labels["a"] == value.rawValue) }
        #expect(family.count == 3)
    }

    @Test("A removed series of an enumerated family starts again from 0, as any other")
    func enumeratedRemoval() throws {
        let registry = Registry()
        let family = try registry.counters("c_total", help: "C.", labels: Label<Step>("a"))
        let old = family(.open)
        old.increment(by: 3)
        let other = family(.half)
        #expect(family.remove(old))
        #expect(family.count == 2)
        #expect(family(.open) !== old && family(.open).value == 0)
        #expect(family(.half) === other)
    }

    @Test("A look-up in the same family with another type of label values finds the same series")
    func otherTypes() throws {
        let registry = Registry()
        let steps = try registry.counters("c_total", help: "C.", labels: Label<Step>("a"))
        let texts = try registry.counters("c_total", help: "C.", labels: Label<String>("a"))
        let partial = try registry.counters("c_total", help: "C.", labels: Label<Partial>("a"))
        #expect(texts("half") === steps(.half))
        #expect(partial(.a).labels["a"] == "a")
        #expect(steps(.open).labels["a"] == "open")
    }
}
