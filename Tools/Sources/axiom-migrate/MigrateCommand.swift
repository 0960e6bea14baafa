// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomMigration
internal import AxiomSyntax
internal import Foundation

/// `axiom-migrate [PATH…]`: migrates, or takes a migration back.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrates Swift files; the subcommand that runs without a name."
    )

    /// A version that can be migrated from.
    enum Version: String {
        case detected = "0.x"
        case r3, r4, draft

        var dialect: Dialect? { Dialect(rawValue: rawValue) }

        /// - Throws: `ValidationError` with the names of the versions.
        static func parse(_ text: String) throws -> Version {
            if let version = Version(rawValue: text) { return version }
            guard Architecture(rawValue: text) == nil else {
                throw ValidationError("\(text) is no version of Axiom. Run axiom-migrate analyze --from \(text).")
            }
            throw ValidationError("There is no such version. Give 0.x, r3, r4 or draft.")
        }
    }

    @Argument(
        help: ArgumentHelp("Swift files and folders. Default: Sources, and Tests if there is one.", valueName: "path")
    )
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "The version of the code: r3, r4, draft, or 0.x, which finds it for each file.",
            valueName: "version"
        ),
        transform: Version.parse
    )
    var from = Version.detected

    @Option(help: ArgumentHelp("The names to migrate to: 1.0, which are those of this version.", valueName: "version"))
    var to = "1.0"

    @Option(help: ArgumentHelp("The folder of the package; paths are relative to it.", valueName: "folder"))
    var root = "."

    @Flag(help: "Print a unified diff and change nothing. Exit code 1 if anything would change.")
    var dryRun = false

    @Flag(help: "Migrate outside of git, and with changes that are not committed.")
    var allowDirty = false

    @Option(help: ArgumentHelp("Builds a copy of the package, run by sh in it.", valueName: "command"))
    var build = "swift build --build-tests"

    @Flag(inversion: .prefixedNo, help: "Build the result, and leave out what does not compile.")
    var check = true

    @Option(help: "How many minutes a build may take.")
    var minutes = 30

    @Option(help: "How many builds may look for what does not compile.")
    var builds = 60

    @Flag(help: "Take the migration back that axiom-migrate.json tells of.")
    var rollback = false

    func validate() throws {
        guard to == "1.0" else { throw ValidationError("--to \(to): there is no such version. Give 1.0.") }
        guard (1...600).contains(minutes) else {
            throw ValidationError("--minutes \(minutes): give a number from 1 to 600.")
        }
        guard (1...1000).contains(builds) else {
            throw ValidationError("--builds \(builds): give a number from 1 to 1000.")
        }
        guard !(rollback && (dryRun || !paths.isEmpty)) else {
            throw ValidationError("--rollback takes back the whole migration: leave out --dry-run and paths.")
        }
    }

    func run() throws {
        let root = try Self.folder(root)
        if rollback {
            let restored = try Rollback.run(root)
            return try AxiomMigrate.write("restored \(restored.count) file\(restored.count == 1 ? "" : "s")\n")
        }
        let run = RecipeRun(try SourceFiles.find(Self.inputs(paths, root), root: root), dialect: from.dialect)
        if dryRun { return try show(run) }
        try migrate(run, root)
    }

    private func show(_ run: RecipeRun) throws {
        let outcome = run.run()
        try AxiomMigrate.write(outcome.diff)
        AxiomMigrate.complain(MigrationReport(outcome, of: run.project, isDryRun: true).text)
        if !outcome.changes.isEmpty { throw ExitCode(1) }
    }

    private func migrate(_ run: RecipeRun, _ root: String) throws {
        var (excluded, built): (Set<RecipeRun.Unit>, WorkingCopy.Build?) = ([], nil)
        let everything = run.run()
        guard !everything.changes.isEmpty else {
            return try AxiomMigrate.write(MigrationReport(everything, of: run.project).text)
        }
        if !allowDirty { try VersionControl.check(root) }
        if check {
            let copy = try WorkingCopy(of: root, command: build, minutes: minutes)
            var bisection = Bisection(everything.applied, limit: builds) { excluded throws(MigrationError) in
                try copy.build(run.run(without: excluded).changes)
            }
            let result = try bisection.run()
            (excluded, built) = (result.excluded, result.build)
        }
        let outcome = run.run(without: excluded)
        try Interruption.check()
        try apply(outcome, excluded, built, root)
        try AxiomMigrate.write(MigrationReport(outcome, of: run.project, excluded: excluded, build: built).text)
        if !excluded.isEmpty || built?.succeeded == false { throw ExitCode(3) }
    }

    /// Checks all files, and writes the journal before them, so that a migration that is interrupted can be taken back.
    private func apply(
        _ outcome: RecipeRun.Outcome,
        _ excluded: Set<RecipeRun.Unit>,
        _ built: WorkingCopy.Build?,
        _ root: String
    ) throws {
        guard !outcome.changes.isEmpty else { return }
        try SourceFiles.checkUnchanged(outcome.changes, root: root)
        var journal = try Journal.read(root) ?? Journal(to: to)
        try journal.add(outcome.changes)
        journal.recipes.merge(outcome.counts, uniquingKeysWith: +)
        journal.leftOut = excluded.sorted()
        journal.notes = outcome.notes
        journal.errors = built?.errors ?? []
        try journal.write(root)
        try SourceFiles.write(outcome.changes, root: root)
    }

    static func folder(_ root: String) throws -> String {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else {
            throw MigrationError("--root: \(root) is no folder: name one that exists.")
        }
        return URL(filePath: root).standardizedFileURL.path
    }

    static func inputs(_ paths: [String], _ root: String) -> [String] {
        guard paths.isEmpty else { return paths }
        let folders = ["Sources", "Tests"].filter { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
        return folders.isEmpty ? ["."] : folders
    }
}
