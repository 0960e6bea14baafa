// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// `bisect-score record`: measures pairs of builds that do the same, by the command of a program with benchmarks.
struct NoiseRecorder: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Measures the noise and the costs of pairs of builds that do the same, and writes them into a file.",
        discussion: """
            COMMAND is a program with benchmarks and its options, such as --package-path and --filter. It compares each \
            revision with the working tree by --baseline: they must do the same, and differ in a file. Both builds are linked \
            in another order of functions for every four pairs; with --as-built among the options they stay as they are. What \
            builds and pairs cost is measured by its command bisect, between each revision and HEAD, which must differ too. \
            The first build is left out, because it builds all dependencies. The pairs of --baseline are shorter than those of \
            bisect, and so vary more.

            Exit status: 0 if the file was written; 1 if the program failed or measured too little; 64 for wrong options.
            """
    )

    @Argument(help: "The file, of at most 60 kB.")
    var file: String

    @Option(help: "How long to measure pairs, without builds and costs: 30 to 3600.")
    var seconds = 120

    @Option(name: .customLong("revision"), help: "A revision; give at least two, or one with --append.")
    var revisions: [String] = []

    @Flag(help: "Adds pairs to the file, whose costs stay.")
    var append = false

    @Argument(parsing: .postTerminator, help: "After --: the program and its options.")
    var command: [String] = []

    func validate() throws {
        try (30...3_600).check(seconds, "--seconds")
        guard revisions.count >= (append ? 1 : 2) else {
            throw ValidationError(
                "--revision was given \(revisions.count) times; give it twice, or once with --append."
            )
        }
        guard !command.isEmpty else { throw ValidationError("There is no command; name the program behind --.") }
    }

    func run() throws {
        do {
            var noise = append ? try RecordedNoise(path: file) : RecordedNoise()
            (noise.processor, noise.recordedAt) = (Self.processor, Date().formatted(.iso8601))
            try record(&noise)
            try noise.write(to: file)
            print("\(noise.pairs) pairs in \(noise.series.count) series; builds took \(noise.buildSeconds) s")
            print("a pair takes \(noise.pairSeconds) s")
        } catch {
            FileHandle.standardError.write(Data("error: \(String(clause: error))\n".utf8))
            throw ExitCode.failure
        }
    }

    private func record(_ noise: inout RecordedNoise) throws {
        if !append { try recordCosts(&noise) }
        let before = noise.series.count
        for revision in revisions { noise.series += try series(revision, within: seconds / revisions.count) }
        guard noise.series.count > before else {
            throw RecordedNoise.Problem(
                message: "no benchmark had \(RecordedNoise.leastPairs) pairs: measure longer, by --seconds"
            )
        }
    }

    /// Bisects between each revision and HEAD, which is refused.
    private func recordCosts(_ noise: inout RecordedNoise) throws {
        let options = command.dropFirst()
        let names = try FinishedProgram.output(command.prefix(1) + ["list"] + options)
        let name = NSRegularExpression.escapedPattern(for: names.split(separator: "\n").first.map(String.init) ?? "")
        for (number, revision) in revisions.enumerated() {
            let bisect = command.prefix(1) + ["bisect", revision, "HEAD"] + options
            let finished = try FinishedProgram.run(
                bisect + ["--filter", "^\(name)$", "--metrics", "wall", "--restart"]
            )
            guard let cost = PrintedCost(finished.output), cost.pairs > 0 else {
                throw FinishedProgram.Failure(
                    message:
                        "\(bisect.joined(separator: " ")) exited with \(finished.status): \(finished.errors.suffix(600))"
                )
            }
            noise.pairSeconds.append(rounded(cost.pairSeconds / Double(cost.pairs), 3))
            guard number > 0, cost.builds > 0 else { continue }
            noise.buildSeconds.append(rounded(cost.buildSeconds / Double(cost.builds), 1))
        }
    }

    /// Compares with a revision. The least effect is so small that most benchmarks stay undecided, and have many pairs.
    private func series(_ revision: String, within budget: Int) throws -> [RecordedNoise.Series] {
        let path = FileManager.default.temporaryDirectory.appending(path: "bisect-noise-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: path) }
        let options = [
            "--baseline", revision, "--metrics", "wall", "--min-effect", "0.01%", "--alpha", "0.001",
            "--budget", "\(budget)s", "--format", "json", "--output", path.path,
        ]
        let finished = try FinishedProgram.run(command + options)
        guard let data = try? Data(contentsOf: path),
            let report = try? JSONDecoder().decode(MeasuredReport.self, from: data)
        else {
            throw FinishedProgram.Failure(
                message: "\(command.joined(separator: " ")) wrote no report, and exited with \(finished.status): "
                    + String(finished.errors.suffix(600))
            )
        }
        return report.series(revision)
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = text.firstMatch(of: /model name\s*: (.*)/).map { String($0.output.1) } ?? "an unknown processor"
        return "\(ProcessInfo.processInfo.processorCount) processors, \(model)"
    }

    private func rounded(_ value: Double, _ digits: Int) -> Double {
        let scale = pow(10, Double(digits))
        return (value * scale).rounded() / scale
    }
}

/// What is read of a report.
private struct MeasuredReport: Decodable {
    struct Finding: Decodable {
        let benchmark: String
        let pairs: [Double]?
    }

    let findings: [Finding]

    /// The benchmarks that had enough pairs.
    func series(_ revision: String) -> [RecordedNoise.Series] {
        findings.compactMap { finding in
            guard let pairs = finding.pairs, pairs.count >= RecordedNoise.leastPairs else { return nil }
            return RecordedNoise.Series(
                benchmark: finding.benchmark,
                revision: revision,
                logRatios: pairs.map { ($0 * 10_000).rounded() / 10_000 }
            )
        }
    }
}

/// What the command bisect prints of its cost, over all branches that it searched.
struct PrintedCost {
    private(set) var (builds, buildSeconds, pairs, pairSeconds) = (0, 0.0, 0, 0.0)

    /// - Returns: nil if there is no line with a cost.
    init?(_ output: String) {
        let lines = output.matches(of: /cost: (\d+) builds in ([\d.]+) s, (\d+) pairs in ([\d.]+) s/)
        guard !lines.isEmpty else { return nil }
        for line in lines {
            builds += Int(line.output.1) ?? 0
            buildSeconds += Double(line.output.2) ?? 0
            pairs += Int(line.output.3) ?? 0
            pairSeconds += Double(line.output.4) ?? 0
        }
    }
}
