// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

/// Runs in a process of its own: whatever other tests allocate at the same time would show here.
@Suite("Memory")
struct MemoryTests {
    @Test(
        "100,000 mounts and unmounts leave no context, and memory does not grow after the first 10,000",
        .enabled(if: ProcessMemory.isMeaningful, "a sanitizer replaces malloc")
    )
    func mountCycles() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let app = try await SampleApp.started()
            var heapAtFirst: Int?
            for cycle in 1...100_000 {
                let host = try await app.mountedHost()
                await host.unmount()
                // Lets the context's observation, which was cancelled, come to its end: an application's main actor
                // has turns for that between two presentations.
                await Task.yield()
                if cycle == 10_000 { heapAtFirst = ProcessMemory.heap }
            }
            let growth = try #require(ProcessMemory.heap) - #require(heapAtFirst)
            print("The heap grew by \(growth) bytes.")
            #expect(growth < 1 << 20, "the heap grew by \(growth) bytes")
            #if Instrumented
            for name in ["CounterContext", "ReceiptContext"] {
                #expect(app.metrics.component("created_total", "context", name) == 100_000)
                #expect(app.metrics.component("live", "context", name) == 0)
            }
            #endif
        }
    }
}

/// The memory of this process.
enum ProcessMemory {
    private static let registry: Registry = {
        let registry = Registry()
        registry.register(ProcessCollector())
        return registry
    }()

    /// What is allocated and not freed, in bytes; nil without the statistics of glibc. Resident memory would depend on the
    /// pages of code that were used for the first time, and on what the allocator keeps for each thread.
    static var heap: Int? { registry.collect().value("process_heap_bytes").map { Int($0) } }

    /// Whether the allocator is that of glibc, and not that of a sanitizer.
    static var isMeaningful: Bool {
        heap != nil && dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil
    }
}
