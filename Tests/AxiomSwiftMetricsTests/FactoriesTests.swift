// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomSwiftMetrics
import AxiomTestSupport
import Metrics
import Testing

import class CoreMetrics.Counter
import class CoreMetrics.Gauge

/// The task-local factory of swift-metrics (its proposal SMT-0001), and the factory that maps labels and dimensions (SMT-0002).
@Suite("The factory of a task, and a mapping factory")
struct FactoriesTests {
    @Test("A metric belongs to the factory that its task had when it was made, in child tasks too")
    func ofTask() async {
        let (outer, inner) = (Backend(), Backend())
        await withMetricsFactory(outer.factory) {
            let early = Counter(label: "early")
            await withMetricsFactory(inner.factory) {
                await withTaskGroup { group in
                    for _ in 0..<4 { group.addTask { Counter(label: "orders").increment() } }
                }
                early.increment()
                Timer(label: "work").recordNanoseconds(1_000_000)
            }
            Counter(label: "orders").increment(by: 7)
        }
        #expect(outer.lines == ["early_total 1", "orders_total 7"])
        #expect(inner.lines.contains("orders_total 4") && inner.lines.contains("work_seconds_count 1"))
        #expect(outer.log + inner.log == [])
    }

    /// A backend whose metrics are made through a mapping, which puts the names of a service into them.
    private func mapped(_ options: SwiftMetricsOptions = SwiftMetricsOptions()) -> (Backend, any MetricsFactory) {
        let backend = Backend(options)
        let mapping = backend.factory.withLabelAndDimensionsMapping { label, dimensions in
            ("shop.\(label)", dimensions.filter { $0.0 != "user" } + [("zone", "eu")])
        }
        return (backend, mapping)
    }

    @Test(
        "Mapped labels and dimensions are on the page; a metric keeps its own, and destroy() removes the mapped series"
    )
    func mapping() {
        let (backend, factory) = mapped()
        withMetricsFactory(factory) {
            let dimensions = [("user", "17"), ("path", "/")]
            let counter = Counter(label: "c", dimensions: dimensions)
            let float = FloatingPointCounter(label: "f", dimensions: dimensions)
            let meter = Meter(label: "m", dimensions: dimensions)
            let gauge = Gauge(label: "g", dimensions: dimensions)
            let recorder = Recorder(label: "r", dimensions: dimensions)
            let timer = Timer(label: "t", dimensions: dimensions)
            counter.increment()
            float.increment(by: 0.5)
            meter.set(2)
            gauge.record(3)
            recorder.record(4)
            timer.recordNanoseconds(5)
            #expect(counter.label == "c" && counter.dimensions.map(\.0) == ["user", "path"])
            let labels = #"{path="/",zone="eu"}"#
            for name in ["c_total\(labels) 1", "f_total\(labels) 0.5", "m\(labels) 2", "g\(labels) 3"] {
                #expect(backend.lines.contains("shop_\(name)"), "\(name)")
            }
            for name in ["r_count", "t_seconds_count"] { #expect(backend.lines.contains("shop_\(name)\(labels) 1")) }
            counter.destroy()
            float.destroy()
            meter.destroy()
            gauge.destroy()
            recorder.destroy()
            timer.destroy()
            #expect(backend.lines.isEmpty)
            // Another user is the same series again.
            Counter(label: "c", dimensions: [("path", "/"), ("user", "18")]).increment(by: 2)
            #expect(backend.lines == ["shop_c_total\(labels) 2"])
        }
        #expect(backend.log == [])
    }

    @Test("Options by label are those of the mapped label")
    func options() {
        let (backend, factory) = mapped(SwiftMetricsOptions(help: ["shop.t": "Tea."], buckets: ["shop.t": [2]]))
        Timer(label: "t", factory: factory).recordNanoseconds(1)
        #expect(backend.page.contains("# HELP shop_t_seconds Tea.\n"))
        #expect(backend.lines.contains(#"shop_t_seconds_bucket{zone="eu",le="2.0"} 1"#))
    }

    @Test("Beside another backend, all values are recorded, and destroy() reaches the page")
    func multiplexed() {
        let (first, second) = (Backend(), Backend())
        let both = MultiplexMetricsHandler(factories: [first.factory, second.factory])
        let counter = Counter(label: "c", dimensions: [("a", "1")], factory: both)
        counter.increment(by: 3)
        #expect(first.lines == [#"c_total{a="1"} 3"#] && second.lines == first.lines)
        counter.destroy()
        #expect(first.lines.isEmpty && second.lines.isEmpty)
    }
}

/// swift-system-metrics records these names through swift-metrics: gauges, also of what counts.
@Suite("Process metrics of another library")
struct ProcessMetricsTests {
    private static let names = [
        "process_virtual_memory_bytes", "process_resident_memory_bytes", "process_start_time_seconds",
        "process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_thread_count",
        "process_page_faults_minor_total",
    ]

    private func record(_ backend: Backend) {
        for name in Self.names { Gauge(label: name, factory: backend.factory).record(-1) }
    }

    @Test(
        "The page has the registry's own values once, whichever was registered first, and the others' where it has none"
    )
    func replaced() {
        for isFirst in [true, false] {
            let backend = Backend()
            if isFirst { backend.registry.register(ProcessCollector()) }
            record(backend)
            if !isFirst { backend.registry.register(ProcessCollector()) }
            for _ in 0..<2 {
                let page = backend.snapshot
                #expect(page.problems.isEmpty && Set(page.families.map(\.definition.name)).count == page.families.count)
                #expect(page.family("process_cpu_seconds_total")?.definition.kind == .counter)
                for name in Self.names.prefix(6) { #expect((page.value(name) ?? -1) > 0, "\(name)") }
                #expect(Self.names.suffix(2).allSatisfy { page.value($0) == -1 })
                #expect(page.value("process_threads") ?? 0 > 0)
            }
            for format in [ExpositionFormat.text, .openMetrics] {
                let types = format.page(backend.snapshot)
                    .split(separator: "\n").filter { $0.hasPrefix("# TYPE process_") }
                #expect(types.count > 10 && Set(types.map { $0.split(separator: " ")[2] }).count == types.count)
            }
            #expect(backend.log == [])
        }
    }

    @Test("Without a process collector, and after its removal, the page has those of the library")
    func kept() {
        let backend = Backend()
        record(backend)
        let registration = backend.registry.register(ProcessCollector())
        #expect(backend.snapshot.value("process_open_fds") != -1)
        #expect(backend.registry.unregister(registration))
        #expect(Self.names.allSatisfy { backend.snapshot.value($0) == -1 })
    }

    @Test("A clash with another collector is a problem as before")
    func otherCollectors() {
        struct Twice: Collector {
            func collect() -> [CollectedFamily] { [.gauge("process_open_fds", help: "Twice.")] }
        }
        let backend = Backend()
        record(backend)
        backend.registry.register(Twice())
        #expect(backend.snapshot.problems.map(\.code) == [.nameClash])
    }

    @Test("A mapping keeps both, under names of the application")
    func renamed() {
        let backend = Backend()
        backend.registry.register(ProcessCollector())
        let mapping = backend.factory.withLabelAndDimensionsMapping { ("library_\($0)", $1) }
        Gauge(label: "process_open_fds", factory: mapping).record(-1)
        let page = backend.snapshot
        #expect(page.value("library_process_open_fds") == -1 && page.value("process_open_fds") ?? 0 > 0)
    }
}
