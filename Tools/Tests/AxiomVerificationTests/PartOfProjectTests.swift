// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("Runs on a part of a project")
struct PartOfProjectTests {
    private static let baseline = "axiom-verify.baseline.json"

    /// A project with one finding in each of two folders, all in the baseline.
    private func frozen(_ settings: String? = nil) async throws -> SampleFolder {
        let other = "import Axiom\n\n@MainActor class OtherContext: Context {}\n"
        let folder = try SampleFolder([
            "Sources/App/Price.swift": CommandLineTests.wrong, "Sources/App/Cart.swift": CommandLineTests.holder,
            "Sources/Other/Other.swift": other,
        ])
        if let settings { try folder.write(settings, to: "axiom-verify.json") }
        #expect(try await folder.verify("freeze").status == 0)
        return folder
    }

    @Test("A part has no stale entries, in CI neither", arguments: [[], ["CI=true"]])
    func stale(environment: [String]) async throws {
        let folder = try await frozen()
        let before = try folder.read(Self.baseline)
        let part = try await folder.verify("Sources/App", environment: environment)
        #expect(part.status == 0, "\(part.output)")
        try folder.write("Sources/App/Cart.swift\nSources/App/Price.swift\n", to: "files.txt")
        let build = try await folder.verify("@files.txt", "--only", "Sources/App", environment: environment)
        #expect(build.status == 0, "\(build.output)")
        #expect(try folder.read(Self.baseline) == before)
        try FileManager.default.removeItem(atPath: folder.path("Sources/Other/Other.swift"))
        #expect(try await folder.verify("Sources", environment: ["CI=true"]).status == 4)
    }

    @Test("A path of --only that holds nothing of what is judged is named")
    func unjudged() async throws {
        let folder = try await frozen()
        let result = try await folder.verify("Sources/App", "--only", "Sources/Other")
        #expect(result.status == 0 && result.errors.contains("--only Sources/Other"), "\(result.errors)")
        #expect(try await folder.verify("Sources/App", "--only", "Sources/App/Cart.swift").errors.isEmpty)
    }

    @Test("A part is not frozen")
    func freeze() async throws {
        let folder = try await frozen()
        let before = try folder.read(Self.baseline)
        let result = try await folder.verify("freeze", "Sources/App")
        #expect(result.status == 2 && result.errors.contains("leave out the paths"), "\(result.errors)")
        #expect(try folder.read(Self.baseline) == before)
    }

    @Test("The settings name the folders that make the whole")
    func paths() async throws {
        let folder = try await frozen(#"{"schemaVersion": 1, "paths": ["Sources/Other", "Sources/App"]}"#)
        #expect(try folder.read(Self.baseline).contains("OtherContext"))
        #expect(try await folder.verify("Sources/App", environment: ["CI=true"]).status == 0)
        #expect(try await folder.verify("freeze", "Sources/App").status == 2)
        #expect(try await folder.verify("freeze", "Sources").status == 0)
        try FileManager.default.removeItem(atPath: folder.path("Sources/Other/Other.swift"))
        try folder.write("", to: "Sources/Other/Empty.swift")
        #expect(try await folder.verify(environment: ["CI=true"]).status == 4)
    }

    @Test(
        "With --changed-since, all files are judged, and findings of changed ones alone are reported and mended",
        .enabled(if: SampleFolder.git.mayRun, "\(SampleFolder.git.installation)")
    )
    func changed() async throws {
        let old = "import Axiom\n\n@MainActor class OldContext: Context {}\n"
        let folder = try SampleFolder([
            ".gitignore": ".build\n", "Sources/App/Price.swift": CommandLineTests.wrong, "Sources/App/Old.swift": old,
        ])
        try await folder.commit()
        let arguments = ["--changed-since", "HEAD"]
        let clean = try await folder.verify(arguments)
        #expect(clean.status == 0, "\(clean.output)")
        // The client that this one has is in a file that did not change.
        try folder.write(CommandLineTests.holder, to: "Sources/App/Cart.swift")
        let new = try await folder.verify(arguments + ["--format", "agent"])
        #expect(new.status == 1 && new.output.contains("Sources/App/Cart.swift:5:24: error: "), "\(new.output)")
        #expect(!new.output.contains("Old.swift"), "\(new.output)")
        try folder.write(old.replacing("Old", with: "New"), to: "Sources/App/New.swift")
        #expect(try await folder.verify(arguments + ["--fix", "--unsafe"]).status == 1)
        #expect(try folder.read("Sources/App/New.swift").contains("final class NewContext"))
        #expect(try folder.read("Sources/App/Old.swift") == old)
    }

    @Test("A part leaves the facts of other files in the cache")
    func cache() throws {
        let folder = try SampleFolder()
        let files = (0..<600).map { SourceText(path: "\($0).swift", bytes: Array("struct S\($0) {}".utf8)) }
        let cache = folder.path("cache")
        _ = ProjectRun(Configuration(), cache: cache).facts(of: files)
        _ = ProjectRun(Configuration(), isWhole: false, cache: cache).facts(of: [files[0]])
        let key = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(cache)/\(key)").count == 600)
    }
}
