// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Testing

@testable import AxiomMetrics

@Suite("Process metrics")
struct ProcessCollectorTests {
    private let registry: Registry

    init() {
        registry = Registry()
        registry.register(ProcessCollector())
    }

    @Test("The standard names are there, with the right types and without problems")
    func names() {
        let registry = Registry()
        registry.register(ProcessCollector(extended: false))
        let page = registry.collect()
        #expect(page.problems.isEmpty)
        #expect(
            page.families.map(\.definition.name) == [
                "process_cpu_seconds_total", "process_heap_bytes", "process_max_fds", "process_open_fds",
                "process_resident_memory_bytes", "process_start_time_seconds", "process_threads",
                "process_virtual_memory_bytes", "process_virtual_memory_max_bytes",
            ]
        )
        for family in page.families {
            let isTotal = family.definition.name.hasSuffix("_total")
            #expect(family.definition.kind == (isTotal ? .counter : .gauge))
        }
    }

    @Test("The values are plausible and consistent")
    func values() throws {
        let page = registry.collect()
        let resident = try #require(page.value("process_resident_memory_bytes"))
        let virtual = try #require(page.value("process_virtual_memory_bytes"))
        #expect(resident > 1_000_000 && resident < virtual)
        let start = try #require(page.value("process_start_time_seconds"))
        let age = Date().timeIntervalSince1970 - start
        #expect(age > -2 && age < 24 * 3_600)
        #expect(try #require(page.value("process_threads")) >= 1)
        let open = try #require(page.value("process_open_fds"))
        #expect(try #require(page.value("process_max_fds")) >= open)
        #expect(open >= 3)
    }

    /// Sanitizers replace malloc with an allocator without these statistics.
    private static let hasOtherAllocator = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    @Test(
        "The heap size includes a large array while it is alive",
        .disabled(if: hasOtherAllocator, "a sanitizer replaces malloc")
    )
    func heap() async {
        // In a process of its own: other tests allocate and free at the same time.
        await #expect(processExitsWith: .success) {
            let registry = Registry()
            registry.register(ProcessCollector())
            let size = 30 << 20
            _ = registry.collect()
            let before = try #require(registry.collect().value("process_heap_bytes"))
            let array = [UInt8](repeating: 1, count: size)
            let during = try #require(registry.collect().value("process_heap_bytes"))
            #expect((size..<size + 1 << 20).contains(Int(during - before)), "\(during - before)")
            #expect(array[7] == 1)
        }
    }

    @Test("The activity of the process is on the page and grows")
    func activity() throws {
        let page = registry.collect()
        #expect(page.problems.isEmpty)
        #expect(try #require(page.value("process_page_faults_total", ["kind": "minor"])) > 100)
        #expect(page.value("process_context_switches_total", ["kind": "involuntary"]) != nil)
        let read = try #require(page.value("process_io_bytes_total", ["direction": "read", "layer": "call"]))
        let again = registry.collect().value("process_io_bytes_total", ["direction": "read", "layer": "call"])
        #expect(try #require(again) > read, "the collection itself reads")
    }

    @Test("The pressure files are read as the kernel writes them")
    func pressure() {
        let text = """
            some avg10=0.12 avg60=0.00 avg300=0.00 total=1500000
            full avg10=0.00 avg60=0.00 avg300=0.00 total=250
            """
        #expect(ProcessActivity.stallSeconds("some", in: text) == 1.5)
        #expect(ProcessActivity.stallSeconds("full", in: text) == 0.00025)
        #expect(ProcessActivity.stallSeconds("none", in: text) == nil)
        #expect(ProcessActivity.stallSeconds("some", in: "some total=x") == nil)
        #expect(ProcessActivity.fields("rchar: 12\nodd\nwchar: 3\n") == ["rchar": 12, "wchar": 3])
    }

    @Test("A line of statm is parsed, and another line is rejected")
    func statm() {
        let memory = ProcessMemory("2000 300 200 1 0 500 0\n", pageSize: 4_096)
        #expect(memory?.virtualBytes == 2_000 * 4_096)
        #expect(memory?.residentBytes == 300 * 4_096)
        #expect(ProcessMemory("x 300", pageSize: 4_096) == nil)
        #expect(ProcessMemory("", pageSize: 4_096) == nil)
    }

    @Test("A line of stat is parsed after the program's name, whatever the name contains")
    func stat() {
        let fields = (3...24).map { "\($0 * 10)" }.joined(separator: " ")
        let statistics = ProcessStatistics(stat: "1 (a) b) (c) \(fields)", pageSize: 4_096)
        #expect(statistics.threads == 200 && statistics.virtualBytes == 230)
        #expect(statistics.residentBytes == 983_040.0)
        let none = ProcessStatistics(stat: "1 (a) R", pageSize: 4_096)
        #expect(none.threads == nil && none.residentBytes == nil && none.startTimeSeconds == nil)
        #expect(none.cpuSeconds > 0)
    }

    @Test("The time of the start stays as it was first read, also if the clock of the machine is set")
    func startTime() {
        let start = StartTime()
        let ticks = 10 * Double(sysconf(Int32(_SC_CLK_TCK)))
        #expect(start.value(startTicks: ticks, bootTime: { nil }) == nil)
        for bootTime in [1_700_000_000.0, 1_700_000_001, 1_600_000_000, 1_900_000_000] {
            #expect(start.value(startTicks: ticks, bootTime: { bootTime }) == 1_700_000_010)
        }
        #expect(start.value(startTicks: ticks, bootTime: { nil }) == 1_700_000_010)
    }

    @Test("The help texts of the standard metrics are those of client_golang")
    func help() {
        let text = registry.collect().text
        for line in [
            "process_cpu_seconds_total Total user and system CPU time spent in seconds.",
            "process_open_fds Number of open file descriptors.",
            "process_max_fds Maximum number of open file descriptors.",
            "process_virtual_memory_bytes Virtual memory size in bytes.",
            "process_virtual_memory_max_bytes Maximum amount of virtual memory available in bytes.",
            "process_resident_memory_bytes Resident memory size in bytes.",
            "process_start_time_seconds Start time of the process since unix epoch in seconds.",
        ] {
            #expect(text.contains("# HELP \(line)\n"), "\(line)")
        }
    }

    @Test("CPU seconds grow while the process computes")
    func cpuSeconds() throws {
        let before = try #require(registry.collect().value("process_cpu_seconds_total"))
        var sum = 0.0
        for step in 1..<200_000 { sum += 1 / Double(step) }
        let after = try #require(registry.collect().value("process_cpu_seconds_total"))
        #expect(after > before && sum > 0)
    }
}
#endif
