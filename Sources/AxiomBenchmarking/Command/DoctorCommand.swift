// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomProfile
internal import Foundation

/// Says what on this machine stands in the way of good measurements, with remedies.
struct DoctorCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what stands in the way of good measurements here."
    )

    func execute(_ program: Program) throws -> ExitStatus {
        let fingerprint = Fingerprint.current()
        let machine = fingerprint.mustMatch
        print("machine: \(machine.processor), \(machine.logicalProcessors) processors, \(machine.virtualization)")
        for line in Self.checks(fingerprint, Counters()) { print(line) }
        return .success
    }

    private static func checks(_ fingerprint: Fingerprint, _ counters: Counters) -> [String] {
        let notes = fingerprint.recordOnly
        let processors = ProcessFacts.processors.count
        return [
            line(!PackageFolder.isDebugBuild, "release build", "debug build: run with swift run -c release"),
            line(processors > 0, "workers can be pinned", "workers cannot be pinned: times vary ten times as much"),
            line(
                (notes.load1 ?? 0) < Double(max(1, processors)),
                "load \(notes.load1 ?? 0) leaves a processor free",
                "load \(notes.load1 ?? 0) on \(processors) processors: runs take longer; verdicts stay right"
            ),
            line(
                notes.governor.map { $0 == "performance" } ?? true,
                "clock governor \(notes.governor ?? "not visible")",
                "clock governor \(notes.governor ?? ""): try cpupower frequency-set -g performance"
            ),
            line(notes.hasSMT != true, "no two threads share a core", "threads share cores: keep the siblings idle"),
            line(
                counters.instructions.backend == "perf",
                "instructions are counted by the processor",
                "instructions: \(counters.instructions.backend) (\(counters.instructions.why ?? ""))"
            ),
            line(
                counters.allocations.backend == "interposer",
                "allocations are counted",
                "allocations are not counted: \(counters.allocations.why ?? "")"
            ),
            line(
                Counters.find("git") != nil,
                "git is there for --baseline REVISION",
                "git is missing: apt-get install git"
            ),
        ]
    }

    private static func line(_ isGood: Bool, _ good: String, _ bad: String) -> String {
        isGood ? "ok    \(good)" : "note  \(bad)"
    }
}
