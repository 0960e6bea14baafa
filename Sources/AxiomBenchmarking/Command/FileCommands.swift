// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// Compares two recordings.
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

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
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
        if BaselineReference.isPath(name) { return try BaselineFile.load(from: name) }
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        return try BaselineFile.load(from: BaselineReference.file(named: name, package))
    }
}

/// Prints the accepted changes, the medians of the saved files, and where their level changed.
struct HistoryCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the accepted changes, the medians of saved files in the order of time, and where they moved.",
        discussion: """
            A move is found by e-divisive on the medians of the files of one kind of machine, with p-values by \
            permutation, shared among the benchmarks: in a history in which nothing moved, whose files are independent, \
            even one is found with a probability of at most --alpha. What is counted moves when it is another number. \
            A move whose old level returned within eight files went away. Moves are advice, and change no exit code.
            """
    )

    @Argument(help: "The files; otherwise those in Benchmarks/baselines.")
    var files: [String] = []

    @OptionGroup var options: RunOptions

    @Option(help: "The metric whose medians are printed.")
    var metric = "wall"

    @Flag(help: "List the moves that went away, too.")
    var all = false

    @Option(help: "Also write a page for a browser, with a picture of each benchmark, to this file.")
    var html: String?

    /// Fails before the search.
    func validate() throws {
        if let html, let problem = Destination(html).problem { throw ValidationError("--html: \(problem)") }
    }

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
        let loaded = try files.isEmpty ? saved() : files.map { try BaselineFile.load(from: $0) }
        let history = SavedHistory(loaded, metric: metric)
        for file in history.files {
            for change in file.history { print("\(change.at)  \(file.name)  \(change.by): \(change.reason)") }
        }
        let known = Set(loaded.flatMap(\.benchmarks).map(\.id)).sorted()
        let ids = try options.selected(known, suites: known.map { String($0.prefix { $0 != "/" }) })
        let rows = ids.compactMap { row($0, history) }
        guard !rows.isEmpty else {
            throw BenchmarkError(.usage, "no file has the metric \"\(metric)\": it has \(Self.metrics(loaded))")
        }
        print(Columns.layout([["benchmark (\(metric))"] + history.files.map(\.name)] + rows).joined(separator: "\n"))
        let series = history.series(ids, alpha: options.alpha, seed: options.seed)
        let lines = moves(series) + [sight(ids.count, history)]
        print(([""] + lines).joined(separator: "\n"))
        if let html { try Destination(html).write(HistoryPage.render(series, metric: metric, lines)) }
        return .success
    }

    /// The files in the folder. One that is damaged is named and left out.
    private func saved() throws -> [BaselineFile] {
        var (loaded, failure): ([BaselineFile], ProfileError?) = ([], nil)
        for path in try paths() {
            do {
                loaded.append(try BaselineFile.load(from: path))
            } catch {
                StandardError.write("left out: \(error)")
                failure = error
            }
        }
        if loaded.isEmpty, let failure { throw failure }
        return loaded
    }

    private func paths() throws -> [String] {
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: package.baselines)) ?? []
        let paths = names.filter { $0.hasSuffix(".json") }.sorted().map { "\(package.baselines)/\($0)" }
        guard !paths.isEmpty else {
            throw BenchmarkError(.baseline, "there is no baseline in \(package.baselines): record one with --save NAME")
        }
        return paths
    }

    private static func metrics(_ files: [BaselineFile]) -> String {
        Set(files.flatMap(\.benchmarks).flatMap { $0.metrics.keys }).sorted().joined(separator: ", ")
    }

    private func row(_ id: String, _ history: SavedHistory) -> [String]? {
        guard let unit = history.recorded(id)?.unit else { return nil }
        return [id] + history.medians(id).map { Format.value($0, unit: unit) }
    }

    /// A line for each move; those that went away are counted, or with `--all` listed.
    private func moves(_ series: [SavedHistory.Series]) -> [String] {
        let moves = series.flatMap { series in series.moves.map { (series.benchmark, $0) } }
        let (gone, lasting) = (moves.filter { $0.1.returned != nil }, moves.filter { $0.1.returned == nil })
        var lines = lasting.isEmpty ? ["no \(metric) moved"] : lasting.map { line("moved", $0.0, $0.1) }
        if all {
            lines += gone.map { line("went away", $0.0, $0.1) }
        } else if !gone.isEmpty {
            lines.append("went away: \(gone.count) whose old level returned within a few files; --all lists them")
        }
        return lines
    }

    private func line(_ word: String, _ benchmark: String, _ move: SavedHistory.Move) -> String {
        let interval = move.interval.map { " (\(Format.change($0.lowerBound)) … \(Format.change($0.upperBound)))" }
        let end = move.returned.map { " until \(Self.title($0))" } ?? ""
        return "\(word): \(benchmark) \(metric) \(Format.change(move.change))\(interval ?? "") since "
            + Self.title(move.file) + end
    }

    private static func title(_ file: BaselineFile) -> String {
        let sha = file.source.sha.isEmpty ? "" : ", \(file.source.sha.prefix(10))"
        return "\(file.name) (\(SavedHistory.date(of: file))\(sha))"
    }

    /// The smallest move that could be found.
    private func sight(_ count: Int, _ history: SavedHistory) -> String {
        let files = history.comparable.count
        let others = history.files.count - files
        let of = others > 0 ? "\(files) files (\(others) are of another machine or build)" : "\(files) files"
        let level = options.alpha / Double(max(1, count))
        guard let least = ChangePoints.leastLength(of: files, level: level) else {
            return "\(of) are too few for times of \(count) benchmarks: choose fewer with --filter, or save more"
        }
        return "in \(of) a level of times is seen when it lasts \(least) files or more; where none moved, one is found "
            + "with a probability of at most \(Format.percent(options.alpha))"
    }
}
