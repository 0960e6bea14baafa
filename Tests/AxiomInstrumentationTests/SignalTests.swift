// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import Testing

@Suite("Signals of other modules")
struct SignalTests {
    private typealias Kind = SignalFamily.Kind

    private let telemetry: Telemetry

    init() throws {
        telemetry = try Telemetry()
    }

    private var metrics: Snapshot { telemetry.registry.collect() }

    private func family(_ kind: SignalFamily.Kind, labels: Int = 1, suffix: String = "") -> SignalFamily {
        let name =
            switch kind {
            case .counter: "axiom_test_\(suffix)total"
            case .gauge: "axiom_test_\(suffix)depth"
            case .seconds: "axiom_test_\(suffix)seconds"
            case .bytes: "axiom_test_\(suffix)bytes"
            }
        return SignalFamily(name, kind, help: "A test.", labels: (0..<labels).map { "l\($0)" })
    }

    @Test(
        "A bound signal is on the page at once, as 0, with the names and values of its labels",
        arguments: Kind.allCases
    )
    func bound(kind: SignalFamily.Kind) throws {
        for labels in 0...SignalFamily.maximumLabels {
            let family = family(kind, labels: labels, suffix: "with\(labels)_")
            let values = (0..<labels).map { "v\($0)" }
            let signal = telemetry.signal(family, values)
            #expect(signal != nil)
            let found = try #require(metrics.family(family.name))
            #expect(found.definition.labelNames == family.labels)
            let pairs = Dictionary(uniqueKeysWithValues: zip(family.labels, values))
            #expect(metrics.value(family.name, pairs) == 0)
        }
    }

    @Test("On a lean page, signals that differ only in a label for detail are one, with few buckets of durations")
    func lean() throws {
        let durations = family(.seconds, labels: 2).detailed(by: "l1")
        for (detail, expected) in [(DetailLevel.lean, [("", 3.0)]), (.full, [("a", 2.0), ("b", 1.0)])] {
            let telemetry = try Telemetry(detail: detail)
            for value in ["a", "b", "a"] { telemetry.signal(durations, ["x", value])?.observe(0.002) }
            let found = try #require(telemetry.registry.collect().family(durations.name))
            for (value, count) in expected {
                #expect(telemetry.registry.collect().value(durations.name, ["l0": "x", "l1": value]) == count)
            }
            #expect(Array(found).count == expected.count)
            // The dashboard has all labels at each level of detail.
            let readings = telemetry.readings.signals(atMost: 10, except: []).filter { $0.family == durations }
            #expect(readings.map(\.values) == [["x", "a"], ["x", "b"]])
            #expect(readings.map(\.value) == [2, 1])
            #expect(found.definition.buckets.upperBounds.count == (detail == .full ? 41 : 34))
        }
    }

    @Test("A counter grows, and neither shrinks nor takes what is meant for other kinds")
    func counter() {
        let family = family(.counter)
        let signal = telemetry.signal(family, ["a"])
        signal?.increment()
        signal?.add(41)
        signal?.add(-7)
        signal?.set(3)
        signal?.observe(5)
        signal?.observe(nanoseconds: 5)
        #expect(metrics.value(family.name, ["l0": "a"]) == 42)
    }

    @Test("A gauge is set, goes up and goes down")
    func gauge() {
        let family = family(.gauge)
        let signal = telemetry.signal(family, ["a"])
        signal?.set(2.5)
        signal?.add(3)
        signal?.add(-1)
        signal?.observe(100)
        #expect(metrics.value(family.name, ["l0": "a"]) == 4.5)
    }

    @Test("A distribution counts finite values, of bytes only those that are no durations")
    func distributions() {
        for kind in [SignalFamily.Kind.seconds, .bytes] {
            let family = family(kind)
            let signal = telemetry.signal(family, ["a"])
            signal?.observe(0.5)
            signal?.observe(.nan)
            signal?.observe(.infinity)
            signal?.observe(nanoseconds: 1_000_000)
            signal?.add(1)
            signal?.set(1)
            #expect(metrics.value(family.name, ["l0": "a"]) == (kind == .seconds ? 2 : 1))
        }
    }

    @Test("The same family and values give the same series, other values another one")
    func series() {
        let family = family(.counter)
        telemetry.signal(family, ["a"])?.increment()
        telemetry.signal(family, ["a"])?.increment()
        telemetry.signal(family, ["b"])?.increment()
        #expect(metrics.value(family.name, ["l0": "a"]) == 2)
        #expect(metrics.value(family.name, ["l0": "b"]) == 1)
    }

    @Test(
        "A signal that cannot be recorded is nil, and an error that names the family",
        arguments: [
            (SignalFamily("axiom_test_total", .counter, help: "A test.", labels: ["a"]), []),
            (SignalFamily("axiom_test_total", .counter, help: "A test."), ["x"]),
            (SignalFamily("axiom_test", .counter, help: "A test."), []),
            (SignalFamily("axiom_test_total", .counter, help: ""), []),
            (SignalFamily("axiom_errors_total", .counter, help: "Another meaning.", labels: ["a"]), ["x"]),
            (
                SignalFamily("axiom_test_total", .counter, help: "A test.", labels: ["a", "b", "c", "d", "e"]),
                ["1", "2", "3", "4", "5"]
            ),
        ] as [(SignalFamily, [String])]
    )
    func invalid(family: SignalFamily, values: [String]) throws {
        #expect(telemetry.signal(family, values) == nil)
        let group = try #require(telemetry.errors.report.groups.first)
        #expect(group.code == ErrorCode.invalidSignal.rawValue)
        #expect("\(group)".contains(family.name))
    }

    #if Instrumented
    @Test("A component binds its signals through its identity if its orchestrator has an observer")
    @MainActor
    func identities() async throws {
        let app = try await SampleApp.started()
        let context = try app.orchestrator.makeContext(CounterContext.self)
        let family = family(.counter)
        context.identity.signal(family, ["a"])?.increment()
        app.orchestrator.signal(family, ["a"])?.increment()
        #expect(app.metrics.value(family.name, ["l0": "a"]) == 2)
        #expect(Orchestrator().signal(family, ["a"]) == nil)
    }
    #else
    @Test("Without the trait an identity has no signals")
    @MainActor
    func identities() async throws {
        let app = try await SampleApp.started()
        #expect(app.orchestrator.signal(family(.counter), ["a"]) == nil)
    }
    #endif
}
