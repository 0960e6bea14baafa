// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The compiler, run on a small file that imports the framework as it was built for this test.
public struct Compiler {
    private let build: BuildFolder

    /// Finds the build.
    ///
    /// - Throws: When the test does not run from a folder of a build.
    public init() throws {
        build = try BuildFolder()
    }

    /// Compiles `source` as far as all diagnostics need it: ownership is checked after the types.
    public func compile(_ source: String) async throws -> Command.Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Fixture.swift")
        try Data(source.utf8).write(to: file)
        return try await ExternalTool.swiftc.run(options + [file.path])
    }

    /// Compiles the file at `source`, a `main.swift`, and links it with the modules of the demo, which are those of an
    /// application, into the program at `program`.
    public func link(_ source: String, into program: String) async throws -> Command.Output {
        let list = build.url.appending(path: "axiom-demo.product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map {
            // A path with a blank is in quotes.
            $0.trimmingCharacters(in: ["'"])
        }
        let modules = objects.filter { !$0.contains("/axiom_demo.build/") && !$0.contains("/axiom-demo.build/") }
        return try await ExternalTool.swiftc.run(
            ["-o", program, "-swift-version", "6", "-module-name", "Program", source] + modules + importing
                + ["-lmicrohttpd", "-lz"]
        )
    }

    private var options: [String] {
        ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-module-name", "Fixture"]
            + importing
    }

    private var importing: [String] {
        ["-I", build.url.appending(path: "Modules").path] + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The C modules that the framework is built on: those that the build made, and the system libraries.
    private var moduleMaps: [String] {
        (build.contents() + Self.folders(in: Repository.root.appending(path: "Sources").resolvingSymlinksInPath()))
            .map { $0.appending(path: "module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    private static func folders(in folder: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
