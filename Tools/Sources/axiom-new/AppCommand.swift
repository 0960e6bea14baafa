// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// `axiom-new app Shop`: a package that runs, is scraped and shows the dashboard.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Writes a package with an application, its tests and a page that says how to run it."
    )

    @Argument(help: "The name of the application, for example Shop.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @OptionGroup var options: NewPackageOptions

    func validate() throws { try ModuleNames.check(name) }

    func run() throws {
        try options.write(name) { AppTemplate(name: name, dependency: $0).files }
    }
}

/// `axiom-new service Stock`: a package that answers requests, is scraped and shows the dashboard.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Writes a package with a server that answers requests, its tests and a page that says how to run it."
    )

    @Argument(help: "The name of the service, for example Stock.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @OptionGroup var options: NewPackageOptions

    func validate() throws { try ModuleNames.check(name) }

    func run() throws {
        try options.write(name) { ServiceTemplate(name: name, dependency: $0).files }
    }
}

/// The options of the commands that write a package.
struct NewPackageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The new folder.",
            discussion: "By default one with the name of the package, here.",
            valueName: "folder"
        )
    )
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The folder of a clone of Axiom.",
            discussion: "By default this folder, if it is one.",
            valueName: "folder"
        )
    )
    var axiom: String?

    @Option(help: ArgumentHelp("The address of a repository of Axiom, instead of a clone.", valueName: "url"))
    var axiomURL: String?

    @Option(help: ArgumentHelp("The revision in that repository.", valueName: "revision"))
    var revision: String?

    @Flag(help: "Print the files, and write nothing.")
    var dryRun = false

    func validate() throws {
        guard axiom == nil || axiomURL == nil else { throw ValidationError("Use either --axiom or --axiom-url.") }
        guard (axiomURL == nil) == (revision == nil) else {
            throw ValidationError("--axiom-url and --revision need each other: no release of Axiom is tagged yet.")
        }
    }

    /// Writes a package, and says how it is run.
    ///
    /// - Parameter files: The files, for the entry of Axiom in the manifest.
    func write(_ name: ComponentName, _ files: (_ dependency: String) -> [NewFile]) throws {
        let here = URL.workingFolder
        let folder = here.folder(directory ?? name.text)
        let source = try AxiomSource(clone: axiom, url: axiomURL, revision: revision, here: here)
        if case .clone(let clone) = source, folder.path.hasPrefix(clone.path + "/") {
            throw ScaffoldError(
                "\(folder.path) is inside the clone of Axiom: use --directory ../\(name.text), or another folder outside of it."
            )
        }
        let contents = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        guard contents.isEmpty else {
            throw ScaffoldError("\(folder.path) has files already: choose another folder with --directory.")
        }
        try GeneratedFiles(files(source.dependency), in: folder).write(dryRun: dryRun)
        guard !dryRun else { return }
        print(
            """

            Now run it, and open http://127.0.0.1:9464/ (needs libmicrohttpd-dev, nettle-dev and zlib1g-dev):
                cd \(directory ?? name.text)
                swift run
            """
        )
    }
}

/// Where the package finds Axiom.
enum AxiomSource {
    case clone(URL)
    case repository(url: String, revision: String)

    init(clone: String?, url: String?, revision: String?, here: URL) throws {
        if let url, let revision {
            self = .repository(url: url, revision: revision)
            return
        }
        let folder = clone.map(here.folder) ?? here
        guard let manifest = try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8),
            manifest.contains("name: \"Axiom\",\n")
        else {
            throw ScaffoldError(
                clone == nil
                    ? "this folder is no clone of Axiom: name one with --axiom, or a repository with --axiom-url and --revision."
                    : "\(folder.path) is no clone of Axiom: it has no Package.swift of the package Axiom."
            )
        }
        self = .clone(folder.folder("."))
    }

    /// The entry in the manifest of the new package.
    var dependency: String {
        switch self {
        case .clone(let folder): ".package(name: \"Axiom\", path: \(Self.literal(folder.path)))"
        case .repository(let url, let revision):
            ".package(url: \(Self.literal(url)), revision: \(Self.literal(revision)))"
        }
    }

    private static func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension URL {
    /// The folder in which the command runs. A path is resolved by it, because `standardized` of a relative URL drops `..`.
    static var workingFolder: URL {
        URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    }

    /// A folder by its path, which may be relative to this one.
    func folder(_ path: String) -> URL {
        URL(filePath: path, directoryHint: .isDirectory, relativeTo: self).standardizedFileURL
    }
}
