// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import Foundation

/// `bisect-score real`: histories with real commits, which `bisect` builds and measures.
struct RealScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "real",
        abstract:
            "Commits histories of a small package, bisects them with the command bisect, and checks the named commit.",
        discussion: """
            Each history has a commit that makes a measured function read 5 % more bytes, others that change code beside it, \
            some that do not compile, and a merge. In a third of the histories the slow commit is on the merged branch. The \
            program of the package is built once; its command bisect builds and measures the commits.

            Exit status: 0 if the planted commit was named each time; 1 if not; 2 if the package could not be made or built; \
            64 for wrong options.
            """
    )

    @Option(help: "How many histories: 1 to 1000.")
    var runs = 10

    @Option(help: "The seed of the first history; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(help: "The commits of a history: 8 to 128.")
    var commits = 32

    @Option(help: "The folder of Axiom; by default that of this program's sources.")
    var axiom = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path

    @Option(help: "A new folder for the package, which is kept; by default a temporary one.")
    var folder: String?

    @Option(help: "How long one bisection may take, as 20m.")
    var budget = "20m"

    @Flag(help: "Prints what each bisection wrote.")
    var verbose = false

    func validate() throws {
        try (1...1_000).check(runs, "--runs")
        try (8...128).check(commits, "--commits")
        if let folder, FileManager.default.fileExists(atPath: folder) {
            throw ValidationError("--folder is \(folder); it must be a new folder.")
        }
    }

    func run() throws {
        let place =
            folder ?? FileManager.default.temporaryDirectory.appending(path: "planted-\(UUID().uuidString)").path
        defer { if folder == nil { try? FileManager.default.removeItem(atPath: place) } }
        let (repository, program) = try prepare(place)
        var (right, builds, pairs, seconds) = (0, 0, 0, 0.0)
        for seed in (0..<UInt64(runs)).map({ seed &+ $0 }) {
            let history = try repository.plant(seed: seed, commits: commits)
            let answer = try bisect(history, repository, program)
            let (isRight, cost) = (answer.names(history.slow), answer.cost)
            right += isRight ? 1 : 0
            builds += cost?.builds ?? 0
            pairs += cost?.pairs ?? 0
            seconds += answer.finished.seconds
            let verdict = isRight ? "right" : "NOT right (exit code \(answer.finished.status))"
            print("seed \(seed), \(history.plan.words): \(verdict)")
            print("    \(answer.costLine), \(String(format: "%.0f s", answer.finished.seconds)) in all")
            if verbose || !isRight { print(answer.finished.output + answer.finished.errors) }
            fflush(nil)
        }
        let means = [Double(builds), Double(pairs), seconds].map { $0 / Double(runs) }
        print(
            "named: \(right) of \(runs), with "
                + String(format: "%.1f builds, %.0f pairs and %.0f s on average", means[0], means[1], means[2])
        )
        if right < runs { throw ExitCode.failure }
    }

    private var environment: [String: String] { ["AXIOM_PATH": axiom] }

    /// Makes the package and builds its program, which is copied, because the package's own build changes.
    private func prepare(_ place: String) throws -> (PlantedRepository, program: String) {
        do {
            let repository = try PlantedRepository(in: "\(place)/package")
            // The same versions of the dependencies as in the build of Axiom.
            try? FileManager.default.copyItem(
                atPath: "\(axiom)/Package.resolved",
                toPath: "\(place)/package/Package.resolved"
            )
            let build = ["swift", "build", "-c", "release", "--product", PlantedRepository.product]
            _ = try FinishedProgram.output(build, in: repository.folder, environment)
            let bin = try FinishedProgram.output(build + ["--show-bin-path"], in: repository.folder, environment)
            let program = "\(place)/\(PlantedRepository.product)"
            try FileManager.default.copyItem(atPath: "\(bin)/\(PlantedRepository.product)", toPath: program)
            return (repository, program)
        } catch {
            FileHandle.standardError.write(Data("error: \(String(clause: error))\n".utf8))
            throw ExitCode(2)
        }
    }

    private func bisect(
        _ history: RealHistory,
        _ repository: PlantedRepository,
        _ program: String
    ) throws -> RealAnswer {
        let command = [
            program, "bisect", history.good, history.bad, "--filter", "^planted/\(history.plan.kernel)$",
            "--metrics", "wall", "--budget", budget, "--package-path", repository.folder,
        ]
        return RealAnswer(finished: try FinishedProgram.run(command, in: repository.folder, environment))
    }
}

/// What the command bisect answered.
private struct RealAnswer {
    let finished: FinishedProgram

    /// Whether a commit was named, and no other one but the merge of its branch before.
    func names(_ commit: String) -> Bool {
        let found = finished.output.matches(of: /(?m)^commit ([0-9a-f]{40})$/).map { String($0.output.1) }
        return finished.status == 0 && found.last == commit
    }

    var cost: PrintedCost? { PrintedCost(finished.output) }

    var costLine: String {
        guard let cost else { return "no cost" }
        return String(
            format: "%d builds in %.1f s, %d pairs in %.1f s",
            cost.builds,
            cost.buildSeconds,
            cost.pairs,
            cost.pairSeconds
        )
    }
}
