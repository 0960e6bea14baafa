// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("Settings and files of a project")
struct ProjectFilesTests {
    private static let known: [RuleID] = ["client-holds-client", "final-missing"]

    private func configuration(_ text: String) throws -> Configuration {
        try Configuration(bytes: Array(text.utf8), path: "axiom-verify.json", known: Self.known)
    }

    @Test("All settings are read")
    func settings() throws {
        let configuration = try configuration(
            """
            {
              "$schema": "x", "schemaVersion": 1, "rules": {"final-missing": "off", "client-holds-client": "warning"},
              "layers": [
                {"name": "Core", "modules": ["ShopCore"], "mayImport": []},
                {"name": "UI", "modules": ["ShopUI"], "mayImport": ["Core"]}
              ],
              "excluded": ["Sources/Generated"]
            }
            """
        )
        #expect(configuration.rules == ["final-missing": .off, "client-holds-client": .warning])
        #expect(configuration.layers.map(\.name) == ["Core", "UI"])
        #expect(configuration.excludes("Sources/Generated/A.swift"))
    }

    @Test(
        "A wrong setting gets an error with the file, the setting and the remedy",
        arguments: [
            (#"{"#, "axiom-verify.json cannot be used"), (#"{}"#, "schemaVersion"),
            (#"{"schemaVersion": 2}"#, "version 1"), (#"{"schemaVersion": 1, "rule": {}}"#, "did you mean rules?"),
            (#"{"schemaVersion": 1, "rules": {"final-mising": "off"}}"#, "Did you mean final-missing?"),
            (
                #"{"schemaVersion": 1, "rules": {"final-missing": "no"}}"#,
                "use one of off, on, error, warning, information"
            ),
            (
                #"{"schemaVersion": 1, "layers": [{"name": "A", "modules": ["X"], "mayImport": ["B"]}]}"#,
                "there is no layer \"B\""
            ),
            (
                #"{"schemaVersion": 1, "layers": [{"name": "A", "modules": ["X"], "mayImport": []}, "#
                    + #"{"name": "B", "modules": ["X"], "mayImport": []}]}"#,
                "X is in the layers A and B"
            ),
        ]
    )
    func wrongSettings(text: String, words: String) {
        let error = #expect(throws: VerifyError.self) { try configuration(text) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasPrefix("axiom-verify.json") == true)
    }

    @Test(
        "Patterns match folders, names and paths",
        arguments: [
            ("Sources/Generated", "Sources/Generated/Deep/A.swift", true),
            ("Sources/Gen", "Sources/Generated/A.swift", false),
            ("*.pb.swift", "A.pb.swift", true), ("*.pb.swift", "Sources/A.pb.swift", false),
            ("**/*.pb.swift", "Sources/Deep/A.pb.swift", true), ("**/*.pb.swift", "A.pb.swift", true),
            ("./Sources/*/Mocks", "Sources/Shop/Mocks/A.swift", true), ("", "A.swift", false), ("**", "A.swift", true),
            ("Sources/**", "Sources/A.swift", true), ("Sources/**", "Tests/A.swift", false),
        ]
    )
    func patterns(pattern: String, path: String, matches: Bool) {
        #expect(PathPattern(pattern).matches(path) == matches)
    }

    @Test("Folders give their Swift files in order, without hidden folders, builds and what is excluded")
    func finding() throws {
        let folder = try SampleFolder([
            "Sources/b.swift": "", "Sources/A/a.swift": "", "Sources/.hidden/x.swift": "", ".build/x.swift": "",
            "Pods/x.swift": "", "Sources/Generated/g.swift": "", "Sources/readme.md": "", "script": "",
            "list": "\n script \nSources/A\r\n",
        ])
        var configuration = Configuration()
        configuration.excluded = ["Sources/Generated"]
        let finder = SourceFinder(root: folder.root, configuration: configuration)
        #expect(try finder.find(["."]) == ["Sources/A/a.swift", "Sources/b.swift"])
        #expect(
            try finder.find(["Sources/b.swift", "./Sources/../Sources/b.swift", folder.path("Sources/b.swift")]) == [
                "Sources/b.swift"
            ]
        )
        #expect(try finder.find(["@list"]) == ["Sources/A/a.swift", "script"])
        #expect(try finder.find(["Sources/Generated/g.swift"]).isEmpty)
        #expect(try finder.read(["Sources/b.swift"]).map(\.path) == ["Sources/b.swift"])
    }

    @Test("A symbolic link to a folder above does not make an endless list")
    func links() throws {
        let folder = try SampleFolder(["Sources/a.swift": ""])
        try FileManager.default.createSymbolicLink(atPath: folder.path("Sources/up"), withDestinationPath: "..")
        #expect(try SourceFinder(root: folder.root, configuration: Configuration()).find(["."]) == ["Sources/a.swift"])
    }

    @Test(
        "A path that does not exist gets an error that names it",
        arguments: [
            ("nowhere.swift", "file or folder nowhere.swift"), ("@nowhere", "response file nowhere"),
            ("@", "\"@\" names no"),
            ("", "is empty"),
        ]
    )
    func missing(path: String, words: String) throws {
        let folder = try SampleFolder()
        let finder = SourceFinder(root: folder.root, configuration: Configuration())
        let error = #expect(throws: VerifyError.self) { try finder.find([path]) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test(
        "Files that differ from a revision are those of git, new files included",
        .enabled(if: SampleFolder.git.mayRun, "\(SampleFolder.git.installation)")
    )
    func changed() async throws {
        let folder = try SampleFolder(["App/old.swift": "let a = 1\n", "App/same.swift": "", "top.swift": ""])
        try await folder.commit()
        try folder.write("let a = 2\n", to: "App/old.swift")
        try folder.write("", to: "App/näw file.swift")
        try folder.write("x", to: "top.swift")
        #expect(
            try ChangedFiles(since: "HEAD", root: folder.root).paths
                == ["App/old.swift", "App/näw file.swift", "top.swift"]
        )
        #expect(try ChangedFiles(since: "HEAD", root: folder.path("App")).paths == ["old.swift", "näw file.swift"])
        for revision in ["nowhere", "", "--output=x"] {
            let error = #expect(throws: VerifyError.self) { try ChangedFiles(since: revision, root: folder.root) }
            #expect(
                error?.message.hasPrefix("--changed-since: ") == true
                    && error?.message.contains("\(revision)") != revision.isEmpty
            )
        }
        let outside = try SampleFolder()
        let error = #expect(throws: VerifyError.self) { try ChangedFiles(since: "HEAD", root: outside.root) }
        #expect(error?.message.contains("is not in a git repository") == true)
    }

    @Test(
        "A file that only the other branch changed is no changed file",
        .enabled(if: SampleFolder.git.mayRun, "\(SampleFolder.git.installation)")
    )
    func mergeBase() async throws {
        let folder = try SampleFolder(["theirs.swift": "let a = 1\n", "ours.swift": "let b = 1\n"])
        try await folder.commit()
        for arguments in [["branch", "other"], ["checkout", "-qb", "topic"]] {
            #expect(try await folder.run("git", arguments).status == 0)
        }
        try folder.write("let b = 2\n", to: "ours.swift")
        try await folder.commit()
        #expect(try await folder.run("git", ["checkout", "-q", "other"]).status == 0)
        try folder.write("let a = 2\n", to: "theirs.swift")
        try await folder.commit()
        #expect(try await folder.run("git", ["checkout", "-q", "topic"]).status == 0)
        #expect(try ChangedFiles(since: "other", root: folder.root).paths == ["ours.swift"])
    }
}
