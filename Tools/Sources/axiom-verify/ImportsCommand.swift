// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomSyntax
internal import AxiomVerification
internal import Foundation

/// `axiom-verify imports`.
struct ImportsCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    static let configuration = CommandConfiguration(
        commandName: "imports",
        abstract: "Prints each imported module with its class: framework, project, package, system or unknown.",
        discussion: """
            The modules of the toolchain are those beside the program swift in PATH. The packages are described by \
            `swift package describe`, and their dependencies are read in .build/checkouts.

            Modules that it does not know get a class from `imports` in the configuration.

            Exit codes: 0; 1 with --strict if a module is unknown; 2 for a wrong command line; 3 if files do not parse.
            """
    )

    @Argument(help: "The folder of the project.")
    var folder = "."

    @Flag(help: "Exit with 1 if a module is unknown.")
    var strict = false

    @Option(help: "The format of the output.")
    var format = Format.text

    @Option(help: "Another folder that holds packages, one folder each. May be repeated.")
    var checkouts: [String] = []

    @Option(
        help: ArgumentHelp("The settings. Default: axiom-verify.json of the folder, if it exists.", valueName: "file")
    )
    var config: String?

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("The class of a module, such as Legacy=package. May be repeated.", valueName: "module=class")
    )
    var classes: [String] = []

    func validate() throws {
        _ = try classesOfOptions()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("\(folder) is no folder: name one that exists.")
        }
    }

    func run() throws {
        let settings = try ProjectOptions.configuration(config, below: folder)
        let configured = settings.imports.merging(try classesOfOptions()) { $1 }
        let classifier = ImportClassifier(toolchain: ToolchainModules(), configured: configured)
        let scan = ImportScan(
            root: URL(filePath: folder),
            checkouts: checkouts.map { URL(filePath: $0) },
            classifier: classifier
        )
        let report = ImportReport(scan.run())
        for place in report.syntaxErrors {
            StandardStreams.complain(
                "axiom-verify: \(place.path):\(place.start.line):\(place.start.column) does not parse: correct it.\n"
            )
        }
        try StandardStreams.write(format == .text ? report.text : try report.json())
        throw ExitCode(report.exitCode(isStrict: strict))
    }

    private func classesOfOptions() throws -> [String: ImportClass] {
        try classes.reduce(into: [:]) { found, text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let importClass = ImportClass(rawValue: parts[1]) else {
                let names = ImportClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--class \(text) is not MODULE=CLASS with one of the classes \(names).")
            }
            found[parts[0]] = importClass
        }
    }
}
