// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomMigration
internal import Foundation

/// `axiom-migrate`: moves code that was written for an older version of Axiom to this one.
@main
struct AxiomMigrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-migrate",
        abstract: "Moves code that was written for an older version of Axiom to this one.",
        discussion: """
              axiom-migrate --dry-run Sources/              prints a unified diff and changes nothing
              axiom-migrate Sources/                        migrates
              axiom-migrate --rollback                      takes the migration back
              axiom-migrate analyze --from mvvm Sources/    reports what to make of an application without Axiom

            axiom-migrate migrate --help lists the options.

            Exit codes: 0 done, nothing to do, or a report of analyze; 1 with --dry-run, files would change; 2 a wrong command \
            line, a folder that cannot be migrated, or a rollback that is refused; 3 migrated, but recipes were left out or the \
            project does not compile yet.
            """,
        version: Axiom.version.description,
        subcommands: [MigrateCommand.self, AnalyzeCommand.self, RecipesCommand.self],
        defaultSubcommand: MigrateCommand.self
    )

    /// Runs the command line on a stack that is large enough for deep code.
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let thread = Thread {
            let code = status()
            Foundation.exit(code)
        }
        thread.stackSize = 512 << 20
        thread.start()
        while true { sleep(1_000_000) }
    }

    /// All that is wrong with the command line exits with 2, which the library's 64 is not.
    private static func status() -> Int32 {
        do {
            var command = try parseAsRoot()
            try command.run()
            return 0
        } catch let error as MigrationError {
            complain("axiom-migrate: \(error.message)\n")
            return 2
        } catch let error as ExitCode {
            return error.rawValue
        } catch {
            // Help and the version are errors for the library, which succeed.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            complain(fullMessage(for: error) + "\n")
            return 2
        }
    }

    /// Writes to the standard output.
    ///
    /// - Throws: Exit code 2 if the reader of the output has closed it.
    static func write(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            throw ExitCode(2)
        }
    }

    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// `axiom-migrate recipes`: lists the recipes.
struct RecipesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipes",
        abstract: "Lists the recipes, in their order."
    )

    func run() throws {
        try AxiomMigrate.write(Recipe.all.map { "\($0.id.rawValue): \($0.summary)\n" }.joined())
    }
}
