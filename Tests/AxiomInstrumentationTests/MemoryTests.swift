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
    /// 100,000 at a scale of 1, and 20,000 without AXIOM_TEST_SCALE.
    private static var cycles: Int { max(20_000, TestScale.count(100_000, usual: 0.2)) }

    /// A leak makes the heap larger in each part, or all of it together, if an array grows. The caches that the allocator keeps
    /// for a thread count as allocated: when another thread starts to work, they are filled in one part, with 100,000 bytes.
    private static let parts = 20

    @Test(
        "Mounts and unmounts leave no context, and after the first 10,000 memory grows by less than 11 bytes for each",
        .enabled(if: ProcessMemory.isMeaningful, "a sanitizer replaces malloc")
    )
    func mountCycles() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let app = try await SampleApp.started()
            let part = (Self.cycles - 10_000) / Self.parts
            var heaps: [Int] = []
            for cycle in 1...Self.cycles {
                let host = try await app.mountedHost()
                await host.unmount()
                // Lets the context's observation, which was cancelled, come to its end: an application's main actor
                // has turns for that between two presentations.
                await Task.yield()
                guard cycle >= 10_000, (cycle - 10_000).isMultiple(of: part) else { continue }
                heaps.append(try #require(ProcessMemory.heap))
            }
            let growths = zip(heaps.dropFirst(), heaps).map { $0 - $1 }.sorted()
            let growth = Double(growths[growths.count / 2]) / Double(part)
            print("The heap grew by \(growths) bytes in parts of \(part) mounts.")
            #expect(growths.count == Self.parts)
            #expect(growth < 11, "the heap grew by \(growth) bytes for each mount: \(growths)")
            #expect(growths.reduce(0, +) < 11 * (Self.cycles - 10_000) + 150_000, "the heap grew by \(growths)")
            #if Instrumented
            for name in ["CounterContext", "ReceiptContext"] {
                #expect(app.metrics.component("created_total", "context", name) == Double(Self.cycles))
                #expect(app.metrics.component("live", "context", name) == 0)
            }
            #endif
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
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
