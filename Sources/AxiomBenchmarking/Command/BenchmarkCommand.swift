// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The root of the command line.
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        // The program is the user's own, and help names the command that they typed.
        commandName: URL(filePath: CommandLine.arguments.first ?? "").lastPathComponent,
        abstract: "Measures benchmarks, and finds what got worse with a stated probability of a false alarm.",
        discussion: """
            Exit codes: 0 nothing got worse, 1 something did, 2 wrong usage, 3 inconclusive, 4 the baseline cannot be \
            read, 5 a benchmark crashed or a build failed.
            """,
        subcommands: [
            RunCommand.self, CompareCommand.self, ListCommand.self, SelfTestCommand.self, BaselineCommand.self,
            HistoryCommand.self, DoctorCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}

/// Where a report goes.
struct OutputOptions: ParsableArguments {
    @Option(help: "How the report is written.")
    var format: ReportFormat = .text

    @Option(help: "The file for the report; otherwise it is printed.")
    var output: String?

    /// Before minutes are spent on what would go into the file.
    func validate() throws {
        if let output, let problem = Destination(output).problem { throw ValidationError("--output: \(problem)") }
    }

    /// Writes the report.
    func write(_ report: Report) throws(BenchmarkError) {
        let text = format.render(report)
        guard let output else {
            print(text, terminator: "")
            return
        }
        try Destination(output).write(text)
        // The verdict is still for who looks at the log.
        StandardError.write(TextReport(report).text)
    }
}
