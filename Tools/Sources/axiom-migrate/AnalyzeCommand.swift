// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomMigration
internal import Foundation

/// `axiom-migrate analyze --from mvc`: reports what an application without Axiom has, and never edits.
struct AnalyzeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Reports what an application without Axiom consists of, and what to make of it. Never edits."
    )

    @Argument(
        help: ArgumentHelp("Swift files and folders. Default: Sources, and Tests if there is one.", valueName: "path")
    )
    var paths: [String] = []

    @Option(help: "The architecture of the application: mvc, mvvm or tca.")
    var from: Architecture

    @Option(help: ArgumentHelp("The folder of the package; paths are relative to it.", valueName: "folder"))
    var root = "."

    func run() throws {
        let root = try MigrateCommand.folder(root)
        let files = try SourceFiles.find(MigrateCommand.inputs(paths, root), root: root)
        try AxiomMigrate.write(Analysis(files, architecture: from).report)
    }
}

extension Architecture: ExpressibleByArgument {}
