// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Compiles small files that import the modules built for this test.
public struct Compiler {
    private let build: BuildFolder

    /// Finds the build.
    ///
    /// - Throws: ``BuildFolder/NotFound``.
    public init() throws {
        build = try BuildFolder()
    }

    /// Compiles `source` to SIL: the compiler checks ownership after the types.
    public func compile(_ source: String) async throws -> Command.Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Fixture.swift")
        try Data(source.utf8).write(to: file)
        return try await ExternalTool.swiftc.run(options + [file.path])
    }

    /// Checks the types of the files of a module, in this version of the language. They see the modules of the package.
    public func check(
        _ files: [String],
        module: String,
        version: String,
        options: [String] = []
    ) async throws -> Command.Output {
        try await ExternalTool.swiftc.run(checking(module: module, version: version) + options + files)
    }

    /// What `swiftc` is started with to check the types of files.
    public func checking(module: String, version: String) -> [String] {
        ["-typecheck", "-swift-version", version, "-parse-as-library", "-module-name", module]
            + ["-package-name", Self.packageName(ofFolder: Repository.root.lastPathComponent)] + importing
    }

    /// The name that SwiftPM gives the modules of a package in a folder: an identifier of C.
    public static func packageName(ofFolder name: String) -> String {
        name.lowercased().unicodeScalars.map { $0.properties.isXIDContinue ? String($0) : "_" }.joined()
    }

    /// Compiles the file at `source`, a `main.swift`, and links it to the program at `program`. The program gets the
    /// modules that the demo is linked with: those of an application.
    public func link(_ source: String, into program: String) async throws -> Command.Output {
        try await link([source], into: program)
    }

    /// Compiles files, one of them a `main.swift`, with further options for the compiler, and links them to a program in the
    /// same way.
    public func link(
        _ sources: [String],
        into program: String,
        options: [String] = []
    ) async throws -> Command.Output {
        let list = build.url.appending(path: "axiom-demo.product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map {
            // A path with a blank is in quotes.
            $0.trimmingCharacters(in: ["'"])
        }
        let modules = objects.filter { !$0.contains("/axiom_demo.build/") && !$0.contains("/axiom-demo.build/") }
        return try await ExternalTool.swiftc.run(
            ["-o", program, "-swift-version", "6", "-module-name", "Program"] + options + sources + modules + importing
                + ["-lmicrohttpd", "-lsqlite3", "-lz"] + profiling
        )
    }

    /// What links the modules of a build with coverage. Such a build is tested with the variable; see Scripts/testing.
    private var profiling: [String] {
        ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] == nil ? [] : ["-profile-generate"]
    }

    private var options: [String] {
        ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-module-name", "Fixture"]
            + importing
    }

    private var importing: [String] {
        ["-I", build.url.appending(path: "Modules").path] + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The module maps of the C modules in the build folder, in Sources, and in the packages that the modules use.
    private var moduleMaps: [String] {
        (build.contents() + Self.folders(in: Repository.root.appending(path: "Sources").resolvingSymlinksInPath())
            + headersOfPackages)
            .map { $0.appending(path: "module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// The folders with the headers of the C modules in other packages.
    private var headersOfPackages: [URL] {
        let scratch = build.url.deletingLastPathComponent().deletingLastPathComponent()
        return Self.folders(in: scratch.appending(path: "checkouts"))
            .flatMap { Self.folders(in: $0.appending(path: "Sources")) }
            .map { $0.appending(path: "include") }
    }

    private static func folders(in folder: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
