// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

/// One of the applications of Tools/Tests/OldApps.
enum OldApp: String, CaseIterable, CustomTestStringConvertible {
    case r3, r4, draft

    static let folder = Repository.root.appending(path: "Tools/Tests/OldApps")

    var testDescription: String { rawValue }

    /// The files that are migrated.
    var files: [SourceText] {
        get throws {
            let sources = Self.folder.appending(path: "\(rawValue)/Sources")
            return try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted().map { name in
                let data = try Data(contentsOf: sources.appending(path: name))
                return SourceText(path: "Sources/\(name)", bytes: Array(data))
            }
        }
    }

    /// A repository with the application.
    func makeFolder() async throws -> MigrationFolder {
        var files: [String: String] = [:]
        for file in try self.files { files[file.path] = String(decoding: file.bytes, as: UTF8.self) }
        let folder = try MigrationFolder(files)
        try await folder.commit()
        return folder
    }

    /// The file that starts the application in 1.0.
    var starter: String { Self.folder.appending(path: "\(rawValue)/After/main.swift").path }
}

/// The old applications and what stands in for the old versions, built once for all tests.
struct OldBuild: Sendable {
    static let shared = Task { try await OldBuild() }

    private let products: URL

    /// Builds them as they are.
    private init() async throws {
        let scratch = try BuildFolder().url.appending(path: "old-apps")
        let arguments = ["build", "--package-path", OldApp.folder.path, "--scratch-path", scratch.path]
        let result = try await Command.run("/usr/bin/env", ["swift"] + arguments)
        guard result.status == 0 else { throw MigrationFolder.Failure(text: result.output + result.errors) }
        products = scratch.appending(path: "debug").resolvingSymlinksInPath()
    }

    /// Runs an application in the old version.
    func run(_ app: OldApp) async throws -> Command.Output {
        try await Command.run(products.appending(path: app.rawValue).path, [])
    }

    /// What the compiler needs to find the stand-ins for SwiftUI and Combine.
    var search: [String] { ["-I", products.appending(path: "Modules").path] }

    /// Their object files.
    var objects: [String] {
        get throws {
            try ["SwiftUI.build", "Combine.build"].flatMap { folder in
                let url = products.appending(path: folder)
                return try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".o") }
                    .map { url.appending(path: $0).path }
            }
        }
    }

    /// A command for `--build` that checks the types of the migrated files.
    func command() throws -> String {
        let arguments = try Compiler().checking(module: "Program", version: "6") + search
        return "swiftc " + arguments.map { "'\($0)'" }.joined(separator: " ") + " Sources/*.swift"
    }
}
