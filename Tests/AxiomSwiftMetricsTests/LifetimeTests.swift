// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomSwiftMetrics
import AxiomTestSupport
import Foundation
import Metrics
import Testing

import class CoreMetrics.Counter
import class CoreMetrics.Gauge

@Suite("The lifetime of series")
struct LifetimeTests {
    @Test("destroy() removes a series of any type from the page, in any order of its dimensions, and no other")
    func destroy() {
        let backend = Backend()
        let orders = [[("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")]]
        withMetricsFactory(backend.factory) {
            for dimensions in orders {
                Counter(label: "c", dimensions: dimensions).increment()
                FloatingPointCounter(label: "f", dimensions: dimensions).increment()
                Meter(label: "m", dimensions: dimensions).set(1)
                Gauge(label: "g", dimensions: dimensions).record(1)
                Recorder(label: "r", dimensions: dimensions).record(1)
                Timer(label: "t", dimensions: dimensions).recordNanoseconds(1)
            }
            let kept = Counter(label: "c", dimensions: [("a", "2")])
            let held = Counter(label: "c", dimensions: orders[0])
            held.destroy()
            FloatingPointCounter(label: "f", dimensions: orders[0]).destroy()
            Meter(label: "m", dimensions: orders[0]).destroy()
            Gauge(label: "g", dimensions: orders[0]).destroy()
            Recorder(label: "r", dimensions: orders[0]).destroy()
            Timer(label: "t", dimensions: orders[0]).destroy()
            #expect(backend.lines == [#"c_total{a="2"} 0"#])
            held.increment()
            kept.increment()
            for dimensions in orders { Counter(label: "c", dimensions: dimensions).increment() }
            #expect(backend.lines == [#"c_total{a="1",b="2"} 2"#, #"c_total{a="2"} 1"#])
        }
    }

    @Test("A reset counter starts again from 0")
    func reset() {
        let backend = Backend()
        let counter = Counter(label: "c", factory: backend.factory)
        let float = FloatingPointCounter(label: "f", factory: backend.factory)
        for _ in 0..<3 {
            counter.increment(by: 5)
            float.increment(by: 0.5)
            #expect(backend.lines == ["c_total 5", "f_total 0.5"])
            counter.reset()
            float.reset()
            #expect(backend.lines == ["c_total 0", "f_total 0"])
        }
    }

    @Test("With expiry an unreferenced series that is not looked up leaves the page; a referenced one stays")
    func expiry() {
        let time = ManualTime()
        let backend = Backend(SwiftMetricsOptions(idleExpiry: .seconds(60)), clock: .manual(time))
        let held = Counter(label: "c", dimensions: [("a", "held")], factory: backend.factory)
        for name in ["asked", "idle"] {
            Counter(label: "c", dimensions: [("a", name)], factory: backend.factory).increment()
        }
        time.advance(by: .seconds(40))
        Counter(label: "c", dimensions: [("a", "asked")], factory: backend.factory).increment()
        time.advance(by: .seconds(40))
        held.increment()
        #expect(backend.lines == [#"c_total{a="asked"} 2"#, #"c_total{a="held"} 1"#])
    }

    @Test("All orders of more dimensions than are cached lead to one series, also after it was destroyed")
    func spellings() {
        let backend = Backend()
        var generator = SeededGenerator(seed: 1)
        let dimensions = (0..<5).map { ("d\($0)", "v") }
        for round in 0..<3 {
            for _ in 0..<200 {
                let shuffled = dimensions.shuffled(using: &generator)
                Counter(label: "c", dimensions: shuffled, factory: backend.factory).increment()
            }
            #expect(backend.lines == [#"c_total{d0="v",d1="v",d2="v",d3="v",d4="v"} 200"#], "round \(round)")
            Counter(label: "c", dimensions: dimensions.reversed(), factory: backend.factory).destroy()
            #expect(backend.lines.isEmpty)
        }
    }

    @Test("No increment is lost or counted twice while another thread resets, and no page shows a torn total")
    func concurrentReset() async {
        let backend = Backend()
        let counter = Counter(label: "c", factory: backend.factory)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<20_000 { counter.increment() } }
            }
            group.addTask {
                for _ in 0..<500 {
                    counter.reset()
                    let value = backend.snapshot.value("c_total") ?? -1
                    #expect(value >= 0 && value <= 80_000)
                }
            }
        }
        counter.reset()
        counter.increment()
        #expect(backend.lines == ["c_total 1"])
    }

    @Test("After threads make, use and destroy the same metrics concurrently every series is unique on the page")
    func churn() async {
        let backend = Backend()
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<2_000 {
                        let dimensions = [("n", "\(step % 7)"), ("m", "x")]
                        let ordered = task.isMultiple(of: 2) ? dimensions : dimensions.reversed()
                        let counter = Counter(label: "c", dimensions: ordered, factory: backend.factory)
                        counter.increment()
                        if step % 11 == task { counter.destroy() }
                    }
                }
            }
        }
        #expect(Set(backend.lines).count == backend.lines.count)
        // Whatever was cached, a metric that is made now is on the page.
        for number in 0..<7 {
            Counter(label: "c", dimensions: [("n", "\(number)"), ("m", "x")], factory: backend.factory).increment()
            let value = backend.snapshot.value("c_total", ["n": "\(number)", "m": "x"]) ?? 0
            #expect(value >= 1)
            Counter(label: "c", dimensions: [("m", "x"), ("n", "\(number)")], factory: backend.factory).increment()
            #expect(backend.snapshot.value("c_total", ["n": "\(number)", "m": "x"]) == value + 1)
        }
    }

    @Test("Metrics made for each event by many threads add up to all events")
    func concurrentCalls() async {
        let backend = Backend()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<2_000 {
                        let dimensions = [("path", "/\(step % 10)"), ("code", "\(200 + task % 2)")]
                        Counter(label: "c", dimensions: dimensions, factory: backend.factory).increment()
                        Timer(label: "t", dimensions: dimensions.reversed(), factory: backend.factory)
                            .recordNanoseconds(1_000_000_000)
                        Meter(label: "m", factory: backend.factory).increment()
                    }
                }
            }
        }
        let page = backend.snapshot
        #expect(page.total("c_total") == 16_000 && page.family("c_total")?.count == 20)
        #expect(page.total("t_seconds") == 16_000 && page.value("m") == 16_000)
        #expect(page.family("t_seconds")?.reduce(0) { $0 + ($1.histogram?.sum ?? 0) } == 16_000)
    }

    @Test(
        "Counters that many threads make for each event lose nothing while others are destroyed",
        .timeLimit(.minutes(10))
    )
    func manyThreads() {
        let backend = Backend()
        let done = DispatchSemaphore(value: 0)
        let threads = 8
        for thread in 0..<threads {
            Thread.detachNewThread {
                for step in 0..<3_000 {
                    Counter(label: "kept", dimensions: [("n", "\(step % 7)")], factory: backend.factory).increment()
                    let passing = Counter(
                        label: "passing",
                        dimensions: [("a", "\(step % 3)"), ("thread", "\(thread)")],
                        factory: backend.factory
                    )
                    passing.increment()
                    passing.destroy()
                }
                done.signal()
            }
        }
        for _ in 0..<threads { done.wait() }
        #expect(backend.snapshot.family("kept_total")?.count == 7)
        #expect(backend.snapshot.total("kept_total") == Double(threads * 3_000))
        #expect(backend.snapshot.family("passing_total") == nil)
    }
}
