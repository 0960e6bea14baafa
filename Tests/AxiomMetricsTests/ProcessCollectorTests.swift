// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AxiomMetrics
import Foundation
import Testing

@Suite("Process metrics")
struct ProcessCollectorTests {
    private let registry: Registry

    init() {
        registry = Registry()
        registry.register(ProcessCollector())
    }

    @Test("The standard names are there, with the right types and without problems")
    func names() {
        let page = registry.collect()
        #expect(page.problems.isEmpty)
        #expect(
            page.families.map(\.definition.name) == [
                "process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_resident_memory_bytes",
                "process_start_time_seconds", "process_threads", "process_virtual_memory_bytes",
                "process_virtual_memory_max_bytes",
            ]
        )
        for family in page.families {
            let isTotal = family.definition.name.hasSuffix("_total")
            #expect(family.definition.kind == (isTotal ? .counter : .gauge))
        }
    }

    @Test("The values are possible and fit each other")
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
