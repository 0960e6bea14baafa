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
        .enabled(if: ProcessMemory.isMeaningful, "a sanitizer keeps memory that was freed")
    )
    func mountCycles() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let app = try await SampleApp.started()
            var residentAtFirst: Int?
            for cycle in 1...100_000 {
                let host = try await app.mountedHost()
                await host.unmount()
                // Lets the context's observation, which was cancelled, come to its end: an application's main actor
                // has turns for that between two presentations.
                await Task.yield()
                if cycle == 10_000 { residentAtFirst = ProcessMemory.resident }
            }
            let growth = try #require(ProcessMemory.resident) - #require(residentAtFirst)
            #expect(growth < 1 << 20, "resident memory grew by \(growth) bytes")
            #if Instrumented
            for name in ["CounterContext", "ReceiptContext"] {
                #expect(app.metrics.component("created_total", "context", name) == 100_000)
                #expect(app.metrics.component("live", "context", name) == 0)
            }
            #endif
        }
    }
}

/// What the kernel says of this process.
enum ProcessMemory {
    /// Resident memory in bytes; nil where there is no `/proc`.
    static var resident: Int? {
        guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = statm.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }

    /// Whether freed memory is given back: there is a `/proc`, and no sanitizer that quarantines it.
    static var isMeaningful: Bool {
        resident != nil && dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil
    }
}
