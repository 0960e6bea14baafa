// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// `axiom-verify-bench`: how long axiom-verify takes, beside what no tool of its kind can avoid.
@main
struct VerifyBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-verify-bench",
        abstract: "Measures axiom-verify over copies of a project.",
        discussion: """
            Cold: all files are found, read, parsed and judged, without a cache. It is compared with an empty run, which \
            finds, reads and parses the same files and walks each tree once. Both alternate in this process. \
            Warm: the program axiom-verify beside this one runs with the facts of an earlier run.

            Exit codes: 0; 1 if a median is over its limit; 2 for a wrong command line. Build it in release: \
            Scripts/verify-speed does.
            """
    )

    @Argument(help: "The folder of a project. Default: the working folder.")
    var project = "."

    @Option(help: "How many files are judged: copies of those of the project, with other names of modules.")
    var files = 3_000

    @Option(help: "How many times each run is repeated.")
    var runs = 7

    @Option(help: "How many files are read at a time.")
    var threads = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "The most that a cold run may take, as a multiple of the empty run.")
    var coldLimit = 1.3

    @Option(help: "The most seconds that a warm run may take.")
    var warmLimit = 0.3

    func validate() throws {
        guard (1...100_000).contains(files) else { throw ValidationError("--files \(files): give 1 to 100000.") }
        guard (1...1_000).contains(runs) else { throw ValidationError("--runs \(runs): give 1 to 1000.") }
        guard (1...256).contains(threads) else { throw ValidationError("--threads \(threads): give 1 to 256.") }
    }

    func run() throws {
        let corpus = try Corpus(of: project, files: files)
        defer { corpus.remove() }
        print("\(corpus.fileCount) files, \(corpus.byteCount / 1_000) kB, \(threads) threads, \(runs) runs")
        let isColdFast = try measureCold(corpus)
        let isWarmFast = try measureWarm(corpus)
        throw ExitCode(isColdFast && isWarmFast ? 0 : 1)
    }

    private func measureCold(_ corpus: Corpus) throws -> Bool {
        var (empty, cold) = (Samples("empty run"), Samples("cold run"))
        for _ in 0..<runs {
            try empty.add { try ColdRun(corpus, threads: threads).empty() }
            try cold.add { try ColdRun(corpus, threads: threads).complete() }
        }
        print(empty.line)
        print(cold.line)
        let ratio = cold.median(\.processor) / empty.median(\.processor)
        return report("cold / empty, processor time", ratio, limit: coldLimit)
    }

    private func measureWarm(_ corpus: Corpus) throws -> Bool {
        var (same, edited) = (Samples("warm run"), Samples("warm run, one file changed"))
        let program = try WarmRun(corpus, threads: threads)
        try program.run()
        for _ in 0..<runs {
            try same.add { try program.run() }
            try corpus.edit()
            try edited.add { try program.run() }
        }
        print(same.line)
        print(edited.line)
        let isSameFast = report("warm run, seconds", same.median(\.elapsed), limit: warmLimit)
        return report("with one file changed, seconds", edited.median(\.elapsed), limit: warmLimit) && isSameFast
    }

    private func report(_ name: String, _ value: Double, limit: Double) -> Bool {
        print("\(name): \(value.formatted(decimals: 3)), limit \(limit): \(value <= limit ? "met" : "missed")")
        return value <= limit
    }
}
