// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import CAxiomProcess
internal import Foundation

/// What can be counted on this machine, and why other counts are unavailable.
struct Counters {
    /// How instructions are counted: `perf`, `callgrind`, or `unavailable` with the reason.
    let instructions: CounterBackend
    /// How allocations are counted.
    let allocations: CounterBackend
    /// How references are counted.
    let references: CounterBackend
    /// The path of valgrind; nil if it is not installed.
    let valgrind: String?

    init() {
        valgrind = ProgramOutput.find("valgrind")
        instructions = Self.instructionBackend(valgrind)
        var memory = CounterBackend()
        memory.backend = axiom_allocation_counts_now().allocations < 0 ? "unavailable" : "interposer"
        memory.version = Int(AXIOM_ALLOCATION_COUNTER_VERSION)
        if memory.backend == "unavailable" {
            memory.why = "this program does not link the product AxiomAllocationCounter, or has no glibc or a sanitizer"
        }
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

    /// Why valgrind cannot run this program, though it is installed; nil if it can. Tried once, on a worker that does
    /// nothing: an installed valgrind may not know the instructions or system calls of a newer runtime.
    static let valgrindProblem: String? = ProgramOutput.find("valgrind").flatMap { problem(of: $0) }

    /// - Parameter limit: A worker that does nothing takes seconds.
    static func problem(of valgrind: String, within limit: Duration = .seconds(120)) -> String? {
        let worker = [MeasuredProgram.current.path] + WorkerArguments.list.arguments
        let command = [valgrind, "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"] + worker
        guard let output = try? ProgramOutput.run(command, errors: .kept, within: limit) else {
            return "\(valgrind) cannot be started"
        }
        guard !output.isOverdue else {
            return
                "\(valgrind) did not run this program within \(limit.components.seconds) s, and was ended: it hangs, or the "
                + "machine is overloaded"
        }
        guard output.status != 0 else { return nil }
        let said = output.text.split(separator: "\n").first { $0.contains("valgrind:") || $0.contains("unhandled") }
        return "valgrind cannot run this program (exit code \(output.status))" + (said.map { ": \($0)" } ?? "")
    }
}
