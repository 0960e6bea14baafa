// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import CAxiomCounters
internal import Foundation

/// What can be counted on this machine, and why something cannot.
struct Counters {
    /// How instructions are counted: `perf`, `callgrind`, or `unavailable` with the reason.
    let instructions: CounterBackend
    /// How allocations are counted.
    let allocations: CounterBackend
    /// How references are counted.
    let references: CounterBackend
    /// The path of valgrind; nil where there is none.
    let valgrind: String?

    init() {
        valgrind = Self.find("valgrind")
        instructions = Self.instructionBackend(valgrind)
        var memory = CounterBackend()
        memory.backend = axiom_allocation_counts_now().allocations < 0 ? "unavailable" : "interposer"
        memory.version = Int(AXIOM_ALLOCATION_COUNTER_VERSION)
        if memory.backend == "unavailable" { memory.why = "no glibc, or a sanitizer has its own malloc" }
        allocations = memory
        var hooks = CounterBackend()
        hooks.backend = "runtime hooks"
        hooks.version = 1
        references = hooks
    }

    private static func instructionBackend(_ valgrind: String?) -> CounterBackend {
        var backend = CounterBackend()
        let descriptor = axiom_open_instruction_counter()
        backend.userOnly = true
        if descriptor >= 0 {
            close(descriptor)
            backend.backend = "perf"
            return backend
        }
        backend.why = "perf_event_open: \(String(cString: strerror(-descriptor)))"
        backend.backend = valgrind == nil ? "unavailable" : "callgrind"
        if valgrind == nil { backend.why? += "; valgrind is missing: apt-get install valgrind" }
        return backend
    }

    /// The path of an executable file of this name in `PATH`.
    static func find(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
