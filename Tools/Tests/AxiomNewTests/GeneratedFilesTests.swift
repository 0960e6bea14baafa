// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import axiom_new

@Suite("Files that are written")
struct SourceFilesTests {
    private let files = [NewFile(path: "Sources/A.swift", text: "a\n"), NewFile(path: "Tests/B.swift", text: "b\n")]

    @Test("All files are written, in folders that are made")
    func written() throws {
        let folder = try SampleFolder()
        try GeneratedFiles(files, in: folder.url).write(dryRun: false)
        #expect(folder.paths() == ["Sources/A.swift", "Tests/B.swift"])
        #expect(try folder.text("Tests/B.swift") == "b\n")
    }

    @Test("A file that exists is kept, and nothing is written")
    func exists() throws {
        let folder = try SampleFolder(["Tests/B.swift": "mine\n"])
        let error = #expect(throws: ScaffoldError.self) {
            try GeneratedFiles(files, in: folder.url).write(dryRun: false)
        }
        #expect(error?.message.contains("Tests/B.swift exists already") == true)
        #expect(folder.paths() == ["Tests/B.swift"])
        #expect(try folder.text("Tests/B.swift") == "mine\n")
    }

    @Test("If a file cannot be written, those before it are removed")
    func undone() throws {
        // A file where the second one needs a folder.
        let folder = try SampleFolder(["Tests": "a file\n"])
        let error = #expect(throws: ScaffoldError.self) {
            try GeneratedFiles(files, in: folder.url).write(dryRun: false)
        }
        #expect(error?.message.contains("none was") == true)
        #expect(folder.paths() == ["Tests"])
    }

    @Test("A dry run writes nothing")
    func dryRun() throws {
        let folder = try SampleFolder()
        try GeneratedFiles(files, in: folder.url).write(dryRun: true)
        #expect(folder.paths().isEmpty)
    }

    @Test("A registration goes above the comment, with its indentation, and changes nothing else")
    func registration() throws {
        let before = "\u{FEFF}func register() {\r\n\t  \(Registration.marker)\r\n}\r\n"
        let folder = try SampleFolder(["Sources/App.swift": before, "Sources/Other.swift": "// nothing\n"])
        let registration = try #require(Registration("register(Cart.self)", in: folder.url))
        try GeneratedFiles([], in: folder.url, registration: registration).write(dryRun: false)
        let after = try folder.text("Sources/App.swift")
        #expect(after.replacing("register(Cart.self)\r\n\t  ", with: "") == before)
        #expect(try folder.text("Sources/Other.swift") == "// nothing\n")
    }

    @Test("Without the comment, and with two of them, nothing is registered")
    func noRegistration() throws {
        let none = try SampleFolder(["A.swift": "// nothing\n"])
        #expect(Registration("x", in: none.url) == nil)
        let two = try SampleFolder(["A.swift": Registration.marker, "B.swift": Registration.marker])
        #expect(Registration("x", in: two.url) == nil)
    }
}
