// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// Works on the committed baseline.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline",
        abstract: "Accepts, shows and verifies committed baselines.",
        subcommands: [Accept.self, Show.self, Verify.self]
    )

    /// The file that is meant.
    struct File: ParsableArguments {
        @Argument(help: "A file, or the name of a file in Benchmarks/baselines.")
        var name = "main"

        func path(_ options: RunOptions) throws -> String {
            if BaselineReference.isPath(name) { return name }
            let package = try PackageFolder(path: options.packagePath, product: options.product)
            return BaselineReference.file(named: name, package)
        }
    }

    /// Measures and replaces the file, with a reason.
    struct Accept: ParsableCommand, ProgramCommand {
        static let configuration = CommandConfiguration(abstract: "Makes present numbers the accepted ones.")

        @OptionGroup var target: File
        @OptionGroup var options: RunOptions

        @Option(help: "Why these numbers are the accepted ones; kept in the file's history.")
        var reason: String

        @Option(help: "Accept the numbers of this recording instead of measuring.")
        var from: String?

        @Option(
            help: "A file of recordProfile(): its durations of actions, for applications that are given the baseline."
        )
        var live: String?

        func execute(_ program: SuiteProgram) throws -> ExitStatus {
            let path = try target.path(options)
            let settings = try RunSettings(options)
            let package = try? PackageFolder(path: options.packagePath, product: options.product)
            try BaselineStore.check(path)
            let old = FileManager.default.fileExists(atPath: path) ? try BaselineFile.load(from: path) : nil
            let recorded = try from.map { (name) throws in try BaselineFile.load(from: name) }
            let added = try live.map { try Self.profiles(in: $0, recorded?.fingerprint ?? .current()) }
            var file = try recorded ?? measured(program, settings, package)
            file.name = URL(filePath: path).deletingPathExtension().lastPathComponent
            file.history = old?.history ?? []
            if let added { file.liveProfiles = added }
            // With a selection, other benchmarks keep their numbers.
            let measured = Set(file.benchmarks.map(\.id))
            let isChoice = options.filter != nil || !options.suite.isEmpty
            if isChoice { file.benchmarks += (old?.benchmarks ?? []).filter { !measured.contains($0.id) } }
            if let old { file.createdAt = old.createdAt }
            let author = package.map { Git(folder: $0.path).author } ?? "unknown"
            try file.accept(at: UTC.now, by: author, reason: reason)
            try BaselineStore.save(file, to: path)
            print("accepted \(file.benchmarks.count) benchmarks in \(path)")
            return .success
        }

        private static func profiles(in path: String, _ machine: Fingerprint) throws -> [LiveProfile] {
            let recorded = try BaselineFile.load(from: path)
            guard !recorded.liveProfiles.isEmpty else {
                throw BenchmarkError(.baseline, "\(path) has no durations of actions: give a file of recordProfile()")
            }
            let match = recorded.fingerprint.match(machine)
            guard match.isMatch else {
                throw BenchmarkError(
                    .baseline,
                    "\(path) is of another machine: record it where benchmarks run",
                    cause: "\(match)"
                )
            }
            return recorded.liveProfiles
        }

        private func measured(
            _ program: SuiteProgram,
            _ settings: RunSettings,
            _ package: PackageFolder?
        ) throws -> BaselineFile {
            let recording = RunRecording(try options.selected(program.infos), settings)
            if let crash = recording.crashes.values.first { throw crash }
            return Recorder.file(recording.records, name: "", settings: settings, package: package)
        }
    }

    /// Prints the contents of a file.
    struct Show: ParsableCommand, ProgramCommand {
        static let configuration = CommandConfiguration(abstract: "Prints what a baseline holds.")

        @OptionGroup var target: File
        @OptionGroup var options: RunOptions
        @OptionGroup var output: OutputOptions

        func execute(_ program: SuiteProgram) throws -> ExitStatus {
            let file = try BaselineFile.load(from: try target.path(options))
            var builder = ReportBuilder([], try RunSettings(options), mode: "solo")
            builder.report.createdAt = file.createdAt
            builder.report.benchmarks = file.benchmarks.map { Report.BenchmarkReport(id: $0.id) }
            builder.add(file.benchmarks)
            builder.report.notes.append(
                "recorded of \(file.source.sha.prefix(10)) on \(file.fingerprint.mustMatch.processor)"
            )
            if !file.reason.isEmpty { builder.report.notes.append("accepted: \(file.reason)") }
            try output.write(builder.finish(seconds: 0))
            return .success
        }
    }

    /// Checks that a file is complete and was not edited.
    struct Verify: ParsableCommand, ProgramCommand {
        static let configuration = CommandConfiguration(abstract: "Checks that a baseline is whole and was not edited.")

        @OptionGroup var target: File
        @OptionGroup var options: RunOptions

        func execute(_ program: SuiteProgram) throws -> ExitStatus {
            let path = try target.path(options)
            let file = try BaselineFile.load(from: path)
            print("\(path) is whole: \(file.benchmarks.count) benchmarks, recorded \(file.createdAt)")
            let match = file.fingerprint.match(.current())
            print(match.isMatch ? "times are comparable on this machine" : "times are not comparable here: \(match)")
            return .success
        }
    }
}
