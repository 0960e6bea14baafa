// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomProfile
internal import Foundation

/// Prints how numbers came to be accepted, and how medians moved from one saved file to the next.
struct HistoryCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the accepted changes, and the medians of all saved baselines in the order of time."
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The metric whose medians are printed.")
    var metric = "wall"

    func execute(_ program: Program) throws -> ExitStatus {
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: package.baselines)) ?? []
        let paths = names.filter { $0.hasSuffix(".json") }.sorted().map { "\(package.baselines)/\($0)" }
        guard !paths.isEmpty else {
            throw BenchmarkError(.baseline, "there is no baseline in \(package.baselines): record one with --save NAME")
        }
        let files = try paths.map { try BaselineFile.load(from: $0) }.sorted { $0.createdAt < $1.createdAt }
        for file in files {
            for change in file.history { print("\(change.at)  \(file.name)  \(change.by): \(change.reason)") }
        }
        let ids = try options.selected(program.infos).map(\.id)
        let rows = ids.compactMap { row($0, files) }
        let head = ["benchmark (\(metric))"] + files.map(\.name)
        print(Columns.layout([head] + rows).joined(separator: "\n"))
        return .success
    }

    private func row(_ id: String, _ files: [BaselineFile]) -> [String]? {
        let cells = files.map { file -> String in
            guard let record = file.benchmarks.first(where: { $0.id == id }), let recorded = record.metrics[metric],
                let median = try? Statistics.median(record.runs.flatMap { $0.samples[metric] ?? [] })
            else { return "-" }
            return Format.value(median, unit: recorded.unit)
        }
        return cells.allSatisfy { $0 == "-" } ? nil : [id] + cells
    }
}
