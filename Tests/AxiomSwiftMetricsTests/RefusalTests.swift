// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomSwiftMetrics
import Metrics
import Testing

import class CoreMetrics.Counter
import class CoreMetrics.Gauge

@Suite("Metrics that cannot be shown")
struct RefusalTests {
    private let backend = Backend()
    private var factory: AxiomMetricsFactory { backend.factory }

    @Test("A label used again as another type is logged once, works and changes nothing")
    func otherType() {
        Counter(label: "x", factory: factory).increment()
        for _ in 0..<3 {
            let refused = FloatingPointCounter(label: "x", factory: factory)
            refused.increment(by: 2)
            refused.reset()
            refused.destroy()
        }
        Meter(label: "x_total", factory: factory).set(5)
        Recorder(label: "y", factory: factory).record(1)
        Gauge(label: "y", factory: factory).record(1)
        #expect(backend.lines.first == "x_total 1")
        #expect(backend.log.count == 3)
        #expect(backend.log.first?.hasPrefix("error: The floating-point counter x is not shown: x_total was") == true)
        #expect(backend.log.allSatisfy { $0.hasPrefix("error: ") })
    }

    @Test("A name that a histogram needs for its samples, or with other buckets, is refused")
    func sampleNames() {
        let backend = Backend(SwiftMetricsOptions(timerBuckets: [1], buckets: ["a.seconds": [2], "bad": [2, 1]]))
        Timer(label: "a", factory: backend.factory).recordSeconds(1)
        Timer(label: "a.seconds", factory: backend.factory).recordSeconds(1)
        Meter(label: "a.seconds.count", factory: backend.factory).set(1)
        Timer(label: "bad", factory: backend.factory).recordSeconds(1)
        #expect(backend.snapshot.families.map(\.definition.name) == ["a_seconds"])
        #expect(backend.snapshot.value("a_seconds") == 1)
        #expect(backend.log.count == 3)
        #expect(backend.log.last?.contains("strictly increasing") == true)
    }

    @Test("A metric that the program registered itself is not recorded into")
    func ownMetrics() throws {
        let own = try backend.registry.counter("x_total", help: "Own.")
        Counter(label: "x", factory: factory).increment(by: 5)
        #expect(own.value == 0)
        #expect(backend.log.count == 1)
    }

    @Test("Two labels with the same name share a family, and the log names both")
    func merged() {
        for _ in 0..<2 {
            Counter(label: "a.b", factory: factory).increment()
            Counter(label: "a_b", factory: factory).increment()
        }
        #expect(backend.lines == ["a_b_total 4"])
        #expect(
            backend.log == ["warning: The labels a.b and a_b are both shown as a_b_total: rename one of the two."]
        )
    }

    @Test("Values that would corrupt a total are refused, counted and logged once; nothing traps")
    func values() {
        for _ in 0..<2 {
            Counter(label: "c", factory: factory).increment(by: -1)
            Counter(label: "c", factory: factory).increment(by: Int64.min)
            for amount in [-1, .nan, .infinity, -.infinity, -Double.leastNonzeroMagnitude] {
                FloatingPointCounter(label: "f", factory: factory).increment(by: amount)
            }
            Timer(label: "t", factory: factory).recordNanoseconds(-5)
            Timer(label: "t", factory: factory).recordNanoseconds(Int64.min)
            for value in [Double.nan, .infinity, -.infinity] { Recorder(label: "r", factory: factory).record(value) }
        }
        #expect(factory.refusedValues == 24)
        let page = backend.snapshot
        #expect(page.value("c_total") == 0 && page.value("f_total") == 0)
        #expect(page.value("t_seconds") == 0 && page.series("t_seconds")?.histogram?.sum == 0)
        #expect(page.value("r") == 0 && page.series("r")?.histogram?.sum == 0)
        #expect(backend.log.count == 10)
        #expect(
            backend.log.first
                == "warning: c_total refused a negative increment: further ones are counted in refusedValues."
        )
    }

    @Test("Extremes are recorded as they are")
    func extremes() {
        Counter(label: "c", factory: factory).increment(by: Int64.max)
        FloatingPointCounter(label: "f", factory: factory).increment(by: -0.0)
        Timer(label: "t", factory: factory).recordSeconds(Double.infinity)
        Timer(label: "t", factory: factory).recordSeconds(Double.nan)
        Recorder(label: "r", factory: factory).record(Int64.min)
        Recorder(label: "r", factory: factory).record(-Double.greatestFiniteMagnitude)
        Gauge(label: "g", factory: factory).record(Double.nan)
        Meter(label: "m", factory: factory).set(-Double.infinity)
        Meter(label: "n", factory: factory).increment(by: Double.nan)
        Meter(label: "n", factory: factory).decrement(by: -1.0)
        let page = backend.snapshot
        #expect(page.value("c_total") == 0x1p63 && page.value("f_total") == 0)
        #expect(page.value("t_seconds") == 2 && page.value("r") == 2)
        #expect(page.value("g")?.isNaN == true && page.value("m") == -.infinity && page.value("n") == 0)
        #expect(factory.refusedValues == 0)
    }

    @Test("The series of a metric are bounded, and observations beyond the limit are counted")
    func seriesLimit() {
        let backend = Backend(SwiftMetricsOptions(seriesLimit: 10))
        backend.registry.showOwnMetrics()
        for round in 0..<2 {
            for user in 0..<1_000 {
                Counter(label: "c", dimensions: [("user", "\(user)")], factory: backend.factory).increment()
            }
            #expect(backend.snapshot.value("c_total", ["user": "_overflow"]) == Double(990 * (round + 1)))
        }
        #expect(backend.snapshot.value("axiom_metrics_overflow_total", ["family": "c_total"]) == 1_980)
        #expect(backend.snapshot.total("c_total") == 2_000)
        #expect(backend.snapshot.family("c_total")?.count == 11)
    }

    @Test("The number of labels is bounded, and the log reports it once")
    func metricLimit() {
        let backend = Backend(SwiftMetricsOptions(metricLimit: 3))
        for user in 0..<100 { Counter(label: "user.\(user)", factory: backend.factory).increment() }
        Counter(label: "user.0", factory: backend.factory).increment()
        #expect(backend.lines == ["user_0_total 2", "user_1_total 1", "user_2_total 1"])
        #expect(backend.log.count == 1)
        #expect(backend.log.first?.contains("There are 3 labels already") == true)
    }

    @Test("A long dimension is cut and counted, and two with the same beginning stay two series")
    func longDimensions() {
        let backend = Backend()
        backend.registry.showOwnMetrics()
        let long = String(repeating: "x", count: 100_000)
        for end in ["a", "b", "a", "b", "a"] {
            Counter(label: "c", dimensions: [("user", long + end)], factory: backend.factory).increment()
        }
        let page = backend.snapshot
        #expect(page.family("c_total")?.map(\.value).sorted() == [2, 3])
        #expect(page.family("c_total")?.allSatisfy { $0.labels["user"].utf8.count == 1_024 } == true)
        #expect(page.value("axiom_metrics_overflow_total", ["family": "c_total"]) == 5)
    }

    @Test("A label that is no name but a text is refused, and the log does not repeat it")
    func longLabel() {
        let backend = Backend()
        let label = String(repeating: "x", count: 1_025)
        for _ in 0..<3 { Counter(label: label, factory: backend.factory).increment() }
        #expect(backend.lines.isEmpty)
        #expect(backend.log.count == 1 && backend.log.allSatisfy { $0.utf8.count < 300 && $0.contains("1025 bytes") })
    }

    @Test("Two encodings of one text are two labels, each with its own name")
    func encodings() {
        let backend = Backend()
        for _ in 0..<2 {
            Counter(label: "caf\u{e9}", factory: backend.factory).increment()
            Counter(label: "cafe\u{301}", factory: backend.factory).increment(by: 2)
        }
        #expect(backend.lines == ["caf__total 2", "cafe__total 4"])
    }
}
