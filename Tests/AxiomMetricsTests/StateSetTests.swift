// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Testing

@Suite("State sets and exemplars")
struct StateSetTests {
    private enum Circuit: String, LabelValue, CaseIterable {
        case closed
        case open
        case halfOpen = "half_open"
    }

    private enum Other: String, LabelValue, CaseIterable { case closed }

    private struct Wide: LabelValue, CaseIterable {
        let labelValue: String
        static let allCases = [Wide(labelValue: "a")]
    }

    private let registry = Registry(clock: .manual(ManualTime()))

    @Test("Each state is a series of its own, and entering one leaves the others")
    func oneHot() throws {
        let states = try registry.stateSets("circuit", help: "C.", Circuit.self, labels: Label<String>("name"))
        let cart = states("cart")
        #expect(registry.collect().total("circuit") == 0)
        for state in Circuit.allCases {
            cart.enter(state)
            #expect(cart.contains(state))
            let page = registry.collect()
            for other in Circuit.allCases {
                let labels = ["name": "cart", "circuit": other.rawValue]
                #expect(page.value("circuit", labels) == (other == state ? 1 : 0))
            }
        }
        cart.set(.open, to: true)
        #expect(registry.collect().total("circuit", where: ["name": "cart"]) == 2)
        cart.set(.open, to: false)
        #expect(!cart.contains(.open))
        #expect(registry.collect().family("circuit")?.definition.kind == .stateSet)
    }

    @Test("In text a state set is a gauge with a label that has the family's name")
    func text() throws {
        try registry.stateSet("circuit", help: "C.", Circuit.self).enter(.open)
        #expect(
            ExpositionFormat.text.page(registry.collect()) == """
                # HELP circuit C.
                # TYPE circuit gauge
                circuit{circuit="closed"} 0
                circuit{circuit="half_open"} 0
                circuit{circuit="open"} 1

                """
        )
    }

    @Test("Invalid states are refused, and so are other states under the same name")
    func refused() throws {
        #expect(throws: MetricsError.self) { try registry.stateSet("wide", help: "W.", Wide.self) }
        #expect(throws: MetricsError.self) {
            try registry.stateSets("clash", help: "C.", Circuit.self, labels: Label<String>("clash"))
        }
        #expect(throws: MetricsError.self) { try registry.stateSet("u", help: "U.", Circuit.self, options: .unit("u")) }
        _ = try registry.stateSet("circuit", help: "C.", Circuit.self)
        let error = #expect(throws: MetricsError.self) {
            try registry.stateSet("circuit", help: "C.", Other.self)
        }
        #expect(error?.code == .conflictingDefinition)
    }

    @Test("A counter keeps its last exemplar, and a histogram one for each bucket")
    func exemplars() throws {
        let counter = try registry.counter("c_total", help: "C.")
        counter.increment(exemplar: ["trace_id": "a"])
        counter.increment(by: 3, exemplar: ["trace_id": "b\"", "span_id": "s"])
        let histogram = try registry.histogram("h", help: "H.", buckets: [1, 2])
        for (value, id) in [(0.5, "x"), (1.5, "y"), (0.25, "z"), (9, "w")] {
            histogram.observe(value, exemplar: ["trace_id": id])
        }
        let page = registry.collect()
        let kept = try #require(page.series("c_total")?.exemplars.first)
        #expect(kept.labels.pairs.map(\.value) == ["b\"", "s"])
        #expect(kept.value == 3 && kept.timestamp == 1_700_000_000)
        #expect(page.value("c_total") == 4)
        #expect(page.series("h")?.exemplars.map { $0.labels["trace_id"] } == ["z", "y", "w"])
        #expect(page.series("h")?.exemplars.map(\.value) == [0.25, 1.5, 9])
    }

    @Test("An exponential histogram's exemplars are bounded and spread over the orders of magnitude")
    func exponentialExemplars() throws {
        let histogram = try registry.exponentialHistogram("h", help: "H.")
        for step in 0..<10_000 {
            histogram.observe(Double(sign: .plus, exponent: step % 100 - 50, significand: 1.5), exemplar: ["id": "x"])
        }
        histogram.observe(.nan, exemplar: ["id": "n"])
        #expect(registry.collect().series("h")?.exemplars.count == 16)
        #expect(registry.collect().value("h") == 10_001)
    }

    @Test("An exemplar that no format can show is refused and counted, and the observation is kept")
    func badExemplars() throws {
        let counter = try registry.counter("c_total", help: "C.")
        let long = String(repeating: "\u{e9}", count: 121)
        counter.increment(exemplar: ["trace_id": long])
        counter.increment(exemplar: ["trace-id": "x"])
        counter.increment(exemplar: ["a": "x", "a": "y"])
        #expect(registry.collect().series("c_total")?.exemplars == [])
        #expect(registry.refusedExemplars == 3)
        #expect(counter.value == 3)
        counter.increment(exemplar: ["trace_id": String(long.dropLast())])
        #expect(registry.collect().series("c_total")?.exemplars.count == 1)
        let float = try registry.floatCounter("f_total", help: "F.")
        float.increment(by: -1, exemplar: ["a": "x"])
        #expect(registry.refusedIncrements == 1 && float.value == 0)
    }
}
