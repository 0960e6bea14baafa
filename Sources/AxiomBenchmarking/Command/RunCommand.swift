// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// Measures, and with a baseline compares and gates.
struct RunCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measures the benchmarks, and compares them with a baseline where one is named."
    )

    @OptionGroup var options: RunOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: """
            A file, a revision, or a saved name. Without a value: where this branch left the default branch, or else \
            the committed baseline. A revision is built and measured in turns with this build.
            """
    )
    var baseline: String?

    @Option(help: "Save the measurements under a name, or in a file.")
    var save: String?

    @Option(
        name: .customLong("cmd"),
        help: "Two shell commands to compare instead of benchmarks: give it twice. Measures for 60 s, or --budget."
    )
    var commands: [String] = []

    @Flag(
        help: """
            Judge the goals instead of showing them: 1 if each of ten processes misses one. A goal that is known to be \
            missed has a ceiling, which is judged. --budget limits the time; what is left out passes, but for --strict.
            """
    )
    var goals = false

    func validate() throws {
        guard !goals || baseline == nil && save == nil && commands.isEmpty && options.metrics == nil else {
            throw ValidationError("--goals judges this build alone: leave out --baseline, --save, --cmd and --metrics")
        }
        guard commands.isEmpty || commands.count == 2 else {
            throw ValidationError("--cmd was given \(commands.count) times: give the old and the new command")
        }
        guard commands.allSatisfy({ $0.contains { !$0.isWhitespace } }) else {
            throw ValidationError("--cmd is empty: give the old and the new command, each as one argument")
        }
        guard commands.isEmpty || baseline == nil && save == nil else {
            throw ValidationError("--cmd compares two commands: leave out --baseline and --save")
        }
        guard baseline == nil || save == nil else {
            throw ValidationError("--save records this build alone: leave out --baseline")
        }
    }

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
        let settings = try RunSettings(options)
        if commands.count == 2 { return try finish(CommandDuel(commands, settings).report()) }
        let selected = try options.selected(program.infos)
        if goals { return try finish(GoalRun(selected, program.infos, settings).report) }
        guard let baseline else {
            return try measure(save == nil ? Self.withReferences(selected, program.infos) : selected, settings)
        }
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        let gate = Gate(package: package, settings: settings, options: options)
        return try finish(try gate.report(baseline, selected))
    }

    /// Adds the benchmarks to which the goals of the selected ones refer.
    private static func withReferences(_ selected: [BenchmarkInfo], _ all: [BenchmarkInfo]) -> [BenchmarkInfo] {
        let named = selected.compactMap(\.goal).flatMap(\.others)
        let wanted = Set(selected.map(\.id)).union(named)
        return all.filter { wanted.contains($0.id) }
    }

    private func measure(_ selected: [BenchmarkInfo], _ settings: RunSettings) throws -> ExitStatus {
        // Fails before minutes are spent on measurements that could not be saved.
        let package = Result { () throws(BenchmarkError) in
            try PackageFolder(path: options.packagePath, product: options.product)
        }
        // Only a name needs the package.
        let path = try save.map { name in
            BaselineReference.isPath(name) ? name : BaselineReference.file(named: name, try package.get())
        }
        if let path {
            try BaselineStore.check(path)
            if let refusal = try? Git(folder: package.get().path).refusal {
                throw BenchmarkError(
                    .baseline,
                    "\(path) could not name its revision, which git refuses",
                    cause: refusal
                )
            }
        }
        let recording = RunRecording(selected, settings)
        if let path, recording.crashes.isEmpty {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            let file = Recorder.file(recording.records, name: name, settings: settings, package: try? package.get())
            try BaselineStore.save(file, to: path)
            StandardError.write("saved \(path)")
        }
        return try finish(recording.report)
    }

    private func finish(_ report: Report) throws -> ExitStatus {
        var report = report
        if PackageFolder.isDebugBuild {
            report.notes.append("this is a debug build: times mean little; run with swift run -c release")
        }
        let status = ExitStatus(report, strictness: options.strictness, allowRemoved: options.allowRemoved)
        report.exitCode = status.rawValue
        try output.write(report)
        return status
    }
}
