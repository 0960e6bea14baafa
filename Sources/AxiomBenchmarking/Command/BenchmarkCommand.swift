// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// The root of the command line.
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        // Help names the command as the user typed it.
        commandName: URL(filePath: CommandLine.arguments.first ?? "").lastPathComponent,
        abstract: "Measures benchmarks, and finds what got worse with a stated probability of a false alarm.",
        discussion: """
            Exit codes: 0 nothing got worse, 1 something did or missed its goal, 2 wrong usage, 3 inconclusive or nothing \
            judged, 4 the baseline cannot be read, 5 a benchmark crashed or a build failed.
            """,
        subcommands: [
            RunCommand.self, CompareCommand.self, ListCommand.self, SelfTestCommand.self, BaselineCommand.self,
            HistoryCommand.self, BisectCommand.self, DoctorCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}

struct ListCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Prints the benchmarks.")

    @OptionGroup var options: RunOptions

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
        for info in try options.selected(program.infos) { print(info.id) }
        return .success
    }
}

/// Lists what impairs measurements on this machine, with remedies.
struct DoctorCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what stands in the way of good measurements here."
    )

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
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
                "instructions: \(Counters.valgrindProblem == nil ? counters.instructions.backend : "unavailable") "
                    + "(\([counters.instructions.why, Counters.valgrindProblem].compactMap(\.self).joined(separator: "; ")))"
            ),
            line(
                counters.allocations.backend == "interposer",
                "allocations are counted",
                "allocations are not counted: \(counters.allocations.why ?? "")"
            ),
            line(
                ProgramOutput.find("git") != nil,
                "git is there for --baseline REVISION",
                "git is missing: apt-get install git"
            ),
        ]
    }

    private static func line(_ isGood: Bool, _ good: String, _ bad: String) -> String {
        isGood ? "ok    \(good)" : "note  \(bad)"
    }
}
