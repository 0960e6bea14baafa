// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
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
        valgrind = Self.find("valgrind")
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
    static let valgrindProblem: String? = find("valgrind").flatMap { problem(of: $0) }

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

    /// The path of an executable file of this name in `PATH`.
    static func find(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// Figures of this process from the system.
enum ProcessFacts {
    /// The peak resident size in bytes, from `VmHWM`: that of `getrusage` includes the program that started this one. Nil
    /// if the system does not have it.
    static var peakResidentBytes: Double? {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 * 1_024 }
    }

    /// Page faults, and voluntary and involuntary context switches so far.
    static var usage: (faults: Int, switches: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw)
    }

    /// Processor time of this process and of its children that ended, in seconds.
    static var processorSeconds: Double {
        [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, whose in
            var usage = rusage()
            getrusage(__rusage_who_t(whose), &usage)
            let times = [usage.ru_utime, usage.ru_stime]
            return times.reduce(sum) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
    }

    /// The processors on which this process may run.
    static var processors: [Int] {
        var mask = [UInt64](repeating: 0, count: 16)
        axiom_allowed_processors(&mask)
        return (0..<1_024).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    }
}
