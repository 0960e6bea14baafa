// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
@_spi(AxiomTools) internal import AxiomBase
internal import AxiomSyntax
internal import AxiomVerification
internal import Foundation

extension FindingFormat: ExpressibleByArgument {}
extension RuleAliases: ExpressibleByArgument {}

/// `axiom-verify [verify]`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reports where code breaks the rules. What runs if no subcommand is named."
    )

    @OptionGroup
    var project: ProjectOptions

    @Option(help: "The format of the report.")
    var format = FindingFormat.text

    @Option(help: ArgumentHelp("Where the report is written instead of being printed.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Where a JUnit report is written too.", valueName: "file"))
    var junitOutput: String?

    @Option(
        help: ArgumentHelp(
            "Where an empty Swift file is written if the run succeeds, so that a build does not repeat it.",
            valueName: "file"
        )
    )
    var stamp: String?

    @Flag(help: .hidden)
    var semantic = false

    @Flag(help: "Apply the fixes that keep the meaning of the program, and judge again.")
    var fix = false

    @Flag(help: "With --fix: apply also fixes that a person should read.")
    var unsafe = false

    @Flag(help: "With --fix: print what would change, and change nothing. Exits with 1 if something would.")
    var dryRun = false

    @Option(help: ArgumentHelp("Report only findings in files that differ from the revision.", valueName: "revision"))
    var changedSince: String?

    @Option(help: ArgumentHelp("Report only findings in a file or folder. May be repeated.", valueName: "path"))
    var only: [String] = []

    @Option(help: "Report rules by other names.")
    var ruleAlias: RuleAliases?

    @Flag(help: "Remarks fail the run, too.")
    var strict = false

    func validate() throws {
        guard !semantic else {
            throw ValidationError("--semantic is gone: each run resolves names across files. Leave it out.")
        }
        guard fix || !unsafe else { throw ValidationError("--unsafe says which fixes --fix applies: add --fix.") }
        guard fix || !dryRun else { throw ValidationError("--dry-run shows what --fix would change: add --fix.") }
    }

    func run() throws {
        try project.enter()
        for path in only where !FileManager.default.fileExists(atPath: path) {
            throw VerifyError("--only: there is no file or folder \(path): name one that exists.")
        }
        let (run, files) = try project.load()
        warnOfUnjudged(files)
        let baseline = try shrinking(try project.loadBaseline(), run, files)
        let changed = try changedSince.map { try ChangedFiles(since: $0, root: project.rootPath) }
        func judge(_ files: [SourceText]) -> ProjectVerdict {
            let verdict = run.judge(files)
            let judged = baseline?.judge(verdict, known: run.known, isWhole: run.isWhole) ?? verdict
            return filtered(changed?.filter(judged) ?? judged)
        }
        guard fix else { return try finish(judge(files)) }
        let engine = FixEngine(includesReview: unsafe, judge: judge) { file in
            FileFacts.read(path: file.path, module: "", bytes: file.bytes).syntaxError == nil
        }
        var outcome = try engine.run(files)
        guard !dryRun else {
            try StandardStreams.write(outcome.diff)
            StandardStreams.complain(outcome.summary(isDryRun: true))
            guard outcome.verdict.unreadableFiles.isEmpty else { throw ExitCode(3) }
            throw ExitCode(outcome.changes.isEmpty && outcome.refusals.isEmpty ? 0 : 1)
        }
        let refusals = outcome.write(root: project.rootPath)
        if refusals.count == outcome.changes.count { outcome.applied = [:] }
        StandardStreams.complain(outcome.summary(refusals: refusals))
        guard !refusals.isEmpty else { return try finish(outcome.verdict) }
        StandardStreams.complain(
            "\(refusals.count) of \(outcome.changes.count) files were not written: make them writable, and run again\n"
        )
        try finish(judge(outcome.files(of: files, without: refusals)), atLeast: 1)
    }

    /// Removes entries that no finding needs, except in CI and in a run that must not write.
    private func shrinking(_ baseline: Baseline?, _ run: ProjectRun, _ files: [SourceText]) throws -> Baseline? {
        // A part of the project does not show which entries are needed.
        guard let baseline, run.isWhole, !dryRun, !Surroundings.isCI else { return baseline }
        let verdict = run.judge(files)
        guard verdict.unreadableFiles.isEmpty else { return baseline }
        let shrunk = baseline.shrunk(to: verdict, known: run.known)
        guard shrunk != baseline else { return baseline }
        try OutputFile.write(shrunk.text, to: project.baselinePath)
        let count = baseline.entries.count - shrunk.entries.count
        StandardStreams.complain(
            "removed from \(project.baselinePath) what no finding needs any more: \(count) entries\n"
        )
        return shrunk
    }

    /// Says which paths of `--only` hold no file that is judged, because a report on them is empty in any case.
    private func warnOfUnjudged(_ files: [SourceText]) {
        let finder = SourceFinder(root: project.rootPath, configuration: Configuration())
        for path in only where !files.contains(where: { Self.path($0.path, isIn: finder.relative(path)) }) {
            StandardStreams.complain(
                "axiom-verify: --only \(path): no file that is judged is there. Name it among the paths, too.\n"
            )
        }
    }

    private static func path(_ path: String, isIn folder: String) -> Bool {
        path == folder || path.hasPrefix(folder + "/") || folder.isEmpty
    }

    /// The verdict with the findings of `--only`. What cannot be read stays.
    private func filtered(_ verdict: ProjectVerdict) -> ProjectVerdict {
        guard !only.isEmpty else { return verdict }
        let finder = SourceFinder(root: project.rootPath, configuration: Configuration())
        let paths = only.map { finder.relative($0) }
        func isShown(_ finding: Finding) -> Bool {
            paths.contains { Self.path(finding.location.path, isIn: $0) }
        }
        var result = verdict
        result.findings = verdict.findings.filter(isShown)
        result.accepted = verdict.accepted.filter { isShown($0.finding) }
        return result
    }

    private func finish(_ verdict: ProjectVerdict, atLeast least: Int32 = 0) throws {
        var shown = ruleAlias?.applied(to: verdict) ?? verdict
        shown.baselinePath = project.baselinePath
        if let junitOutput { try OutputFile.write(JUnitReporter().text(shown), to: junitOutput) }
        if format.namesRepository, let repository = Repository(around: project.rootPath) {
            shown = shown.moved(repository.path)
        }
        let text = format.reporter(isColored: output == nil && StandardStreams.showsColors).text(shown)
        if let output { try OutputFile.write(text, to: output) } else { try StandardStreams.write(text) }
        let hasRemark = strict && !verdict.findings.isEmpty
        let code = max(least, verdict.exitCode == 0 && hasRemark ? 1 : verdict.exitCode)
        if code == 0, let stamp { try OutputFile.write("// axiom-verify found nothing.\n", to: stamp) }
        throw ExitCode(code)
    }
}

extension FixEngine.Outcome {
    /// The files as they are after a run that could not write some of them.
    fileprivate func files(of originals: [SourceText], without refusals: [Refusal]) -> [SourceText] {
        let refused = Set(refusals.map(\.path))
        let written = Dictionary(changes.filter { !refused.contains($0.path) }.map { ($0.path, $0.new) }) { $1 }
        return originals.map { SourceText(path: $0.path, bytes: written[$0.path] ?? $0.bytes) }
    }
}

/// What the environment says about the run.
enum Surroundings {
    static var isCI: Bool {
        let value = ProcessInfo.processInfo.environment["CI"] ?? ""
        return !["", "0", "false"].contains(value.lowercased())
    }
}

/// Files that the program makes.
enum OutputFile {
    /// Writes a file whole, and makes its folder. Pipes and devices are written in place.
    static func write(_ text: String, to path: String) throws {
        do {
            guard !path.isEmpty else { throw VerifyError("The path of an output is empty: name a file.") }
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
                let handle = try FileHandle(forWritingTo: URL(filePath: path))
                try handle.write(contentsOf: Data(text.utf8))
            } else {
                try ToolSupport.write(Array(text.utf8), to: path)
            }
        } catch let error as VerifyError {
            throw error
        } catch let error as ToolSupport.FileFailure {
            throw VerifyError("\(path) cannot be written: \(error.cause ?? error.message). Name another file.")
        } catch {
            throw VerifyError("\(path) cannot be written: \(error.localizedDescription) Name another file.")
        }
    }
}
