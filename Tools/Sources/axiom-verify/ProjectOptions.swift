// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
@_spi(AxiomTools) internal import AxiomBase
internal import AxiomSyntax
internal import AxiomVerification
internal import Foundation

/// What is judged, and how. The options that the subcommands share.
struct ProjectOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Swift files, folders, and @FILE for the paths in a file, one a line. Default: those of the settings, else Sources, or the root.",
            valueName: "path"
        )
    )
    var paths: [String] = []

    @Option(help: ArgumentHelp("The root of the project; all other paths are relative to it.", valueName: "folder"))
    var root = "."

    @Option(help: ArgumentHelp("The settings. Default: axiom-verify.json, if it exists.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The accepted findings. Default: axiom-verify.baseline.json, if it exists.",
            valueName: "file"
        )
    )
    var baseline: String?

    @Flag(help: "Read every file again.")
    var noCache = false

    @Option(help: ArgumentHelp("The folder for facts of earlier runs.", valueName: "folder"))
    var cacheFolder = ProjectOptions.defaultCacheFolder

    @Option(help: "How many files are read at a time. Does not change the output.")
    var threads = ProcessInfo.processInfo.activeProcessorCount

    func validate() throws {
        guard (1...256).contains(threads) else {
            throw ValidationError("--threads \(threads): give a number from 1 to 256.")
        }
        if cacheFolder.isEmpty { throw ValidationError("--cache-folder is empty: name a folder, or give --no-cache.") }
    }

    /// An empty variable counts as none: the folder would be that of the whole file system.
    private static var defaultCacheFolder: String {
        let named = ProcessInfo.processInfo.environment["AXIOM_VERIFY_CACHE"] ?? ""
        return named.isEmpty ? ".build/axiom-verify" : named
    }

    /// Makes the root the working folder. The first call of a subcommand.
    func enter() throws {
        guard FileManager.default.changeCurrentDirectoryPath(root) else {
            throw VerifyError("--root: \(root) is no folder: name one that exists.")
        }
    }

    var rootPath: String { FileManager.default.currentDirectoryPath }

    var baselinePath: String { baseline ?? "axiom-verify.baseline.json" }

    /// Reads the settings and the files.
    func load() throws -> (run: ProjectRun, files: [SourceText]) {
        let configuration = try configuration()
        let finder = SourceFinder(root: rootPath, configuration: configuration)
        let inputs = paths.isEmpty ? defaults(configuration) : paths
        let found = try find(inputs, finder)
        guard !found.isEmpty else {
            throw VerifyError("There are no Swift files in \(inputs.joined(separator: ", ")): name other paths.")
        }
        let cache = noCache ? nil : cacheFolder
        let run = ProjectRun(
            configuration,
            isWhole: namesProject(configuration),
            root: rootPath,
            threads: threads,
            cache: cache,
            onCacheFault: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        )
        return (run, try finder.read(found))
    }

    /// The files. A first path that does not exist may be a subcommand with a typing error.
    private func find(_ inputs: [String], _ finder: SourceFinder) throws -> [String] {
        do {
            return try finder.find(inputs)
        } catch {
            guard let first = paths.first, !FileManager.default.fileExists(atPath: first),
                let name = first.closest(
                    of: AxiomVerify.configuration.subcommands.compactMap { $0.configuration.commandName }
                )
            else { throw error }
            throw VerifyError("\(error.message) Did you mean the subcommand \(name)?")
        }
    }

    /// Whether the paths hold all files that are judged without paths.
    private func namesProject(_ configuration: Configuration) -> Bool {
        guard !paths.isEmpty else { return true }
        let finder = SourceFinder(root: rootPath, configuration: configuration)
        let named = paths.map { finder.relative($0) }
        return defaults(configuration).map { finder.relative($0) }.allSatisfy { path in
            named.contains { path == $0 || $0.isEmpty || path.hasPrefix($0 + "/") }
        }
    }

    func loadBaseline() throws -> Baseline? {
        guard let bytes = try Self.read(baselinePath, isRequired: baseline != nil, "baseline") else { return nil }
        return try Baseline(bytes: bytes, path: baselinePath)
    }

    /// What is judged without paths.
    private func defaults(_ configuration: Configuration) -> [String] {
        guard configuration.paths.isEmpty else { return configuration.paths }
        return FileManager.default.fileExists(atPath: "Sources") ? ["Sources"] : ["."]
    }

    private func configuration() throws -> Configuration {
        try Self.configuration(config)
    }

    /// The settings in a file; nil for those of a folder, if it has any. Without a folder, the working one.
    static func configuration(_ config: String?, below folder: String = ".") throws -> Configuration {
        let standard = folder == "." ? Configuration.fileName : "\(folder)/\(Configuration.fileName)"
        let path = config ?? standard
        guard let bytes = try read(path, isRequired: config != nil, "config") else { return Configuration() }
        return try Configuration(bytes: bytes, path: path, known: RuleCatalog.all.map(\.id))
    }

    private static func read(_ path: String, isRequired: Bool, _ option: String) throws -> [UInt8]? {
        let bytes = try optionalFile(path)
        if bytes == nil, isRequired {
            throw VerifyError("--\(option): there is no file \(path): name one that exists.")
        }
        return bytes
    }

    static func optionalFile(_ path: String) throws -> [UInt8]? {
        do {
            return try ToolSupport.read(path, limit: 64 << 20)
        } catch {
            throw VerifyError(error.message)
        }
    }
}
