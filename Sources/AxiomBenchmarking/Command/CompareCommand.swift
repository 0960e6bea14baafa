// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomProfile

/// Compares two files.
struct CompareCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two recordings: counts always, times where machine and number of processes allow it."
    )

    @Argument(help: "The older recording: a file or a saved name.")
    var old: String

    @Argument(help: "The newer one.")
    var new: String

    @OptionGroup var options: RunOptions
    @OptionGroup var output: OutputOptions

    func execute(_ program: Program) throws -> ExitStatus {
        let (before, after) = (try load(old), try load(new))
        let settings = try RunSettings(options)
        let comparison = FileComparison(
            baseline: before,
            current: after,
            alpha: settings.alpha,
            minimumEffect: settings.minimumEffect,
            metrics: options.metrics == nil ? nil : Set(settings.metrics.map(\.name))
        )
        var builder = ReportBuilder([], settings, mode: "files")
        builder.report.baseline = old
        builder.report.benchmarks = after.benchmarks.map { Report.BenchmarkReport(id: $0.id) }
        builder.add(after.benchmarks)
        builder.addCoverage(baseline: before.benchmarks.map(\.id), current: after.benchmarks.map(\.id))
        builder.add(try comparison.findings())
        var report = builder.finish(seconds: 0)
        let status = ExitStatus(report, strictness: options.strictness, allowRemoved: options.allowRemoved)
        report.exitCode = status.rawValue
        try output.write(report)
        return status
    }

    private func load(_ name: String) throws -> BaselineFile {
        if name.contains("/") || name.hasSuffix(".json") { return try BaselineFile.load(from: name) }
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        return try BaselineFile.load(from: BaselineReference.file(named: name, package))
    }
}
