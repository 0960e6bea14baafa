// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Scripts/coverage", .timeLimit(.minutes(10)))
struct CoverageScriptTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )
    private static let git = ExternalTool(
        installation: "git is missing: apt-get install git",
        path: ExternalTool.find("git")
    )

    /// Nine lines of `Axiom/Errors`, six of which ran, and one line of `AxiomUI` that ran.
    private static let lines = """
        SF:/somewhere/Sources/Axiom/Errors/A.swift
        FN:1,$s5Axiom1aSiyF
        FNDA:2,$s5Axiom1aSiyF
        FNDA:0,A.swift:$s5Axiom1bSiyF
        FNDA:0,$s5Axiom1cSivg
        DA:1,2
        DA:2,2
        DA:4,0
        DA:5,0
        DA:6,1
        DA:8,0
        end_of_record
        SF:/somewhere/Sources/Axiom/Errors/B.swift
        DA:1,1
        DA:2,1
        DA:3,1
        end_of_record
        SF:/somewhere/Sources/AxiomUI/C.swift
        DA:1,7
        end_of_record
        """

    @Test(
        "A wrong option exits with 2 and tells the usage (TL-T23)",
        arguments: [
            (["--colour"], "--colour"), (["--turns", "computing,resting"], "unknown turn resting"),
            (["--report", "--floors", "/nowhere"], "/nowhere does not exist"),
        ]
    )
    func wrongOption(arguments: [String], message: String) async throws {
        let result = try await coverage(arguments)
        #expect(result.status == 2)
        #expect(result.errors.contains("usage: coverage"), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("A floor that is not met exits with 1 and names the module (TL-T23)")
    func floorMissed() async throws {
        try await inFolder(floors: "# A comment\nAxiom 66.7\nAxiomUI 100.0\n") { folder in
            let result = try await report(folder)
            #expect(result.status == 1)
            #expect(result.errors == "Axiom: 66.67 % of its lines ran; its floor is 66.7 %.\n")
        }
    }

    @Test("A floor of a folder that was not measured exits with 1 (TL-T23)")
    func nothingMeasured() async throws {
        try await inFolder(floors: "Axiom/Clients 100.0\n") { folder in
            let result = try await report(folder)
            #expect(result.status == 1)
            #expect(result.errors == "Axiom/Clients has a floor, but no line of it was measured.\n")
        }
    }

    @Test("A floor that is not a percentage exits with 1 and quotes the line (TL-T23)")
    func damagedFloor() async throws {
        try await inFolder(floors: "Axiom ninety\n") { folder in
            let result = try await report(folder)
            #expect(result.status == 1)
            #expect(result.errors.contains("\"Axiom ninety\""), "\(result.errors)")
        }
    }

    @Test("The table has modules, and the folders and files with a floor (TL-T23)")
    func table() async throws {
        try await inFolder(floors: "Axiom/Errors 66.6\nAxiom/Errors/B.swift 100.0\n") { folder in
            let result = try await report(folder)
            #expect(result.status == 0, "\(result.errors)")
            let rows = result.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                rows == [
                    "Module Lines Covered % Floor", "Axiom 9 6 66.67", "Axiom/Errors 9 6 66.67 66.6",
                    "Axiom/Errors/B.swift 3 3 100.00 100.0", "AxiomUI 1 1 100.00",
                ]
            )
        }
    }

    @Test("--raise raises floors, except those that were not reached (TL-T23)")
    func raised() async throws {
        try await inFolder(floors: "# Kept\nAxiom        50.0\nAxiom/Errors 66.6\nAxiomUI      90.0\n") { folder in
            let result = try await report(folder, ["--raise"])
            #expect(result.status == 0, "\(result.errors)")
            let floors = try String(contentsOf: folder.appending(path: "floors.txt"), encoding: .utf8)
            #expect(floors == "# Kept\nAxiom        66.4\nAxiom/Errors 66.6\nAxiomUI      100.0\n")
        }
    }

    @Test("--uncovered lists the lines that did not run (TL-T23)")
    func uncovered() async throws {
        try await inFolder(floors: "") { folder in
            let result = try await report(folder, ["--uncovered", "Sources/Axiom/"])
            #expect(result.output.hasPrefix("Sources/Axiom/Errors/A.swift: 4-5, 8\nModule "), "\(result.output)")
        }
    }

    @Test("--public lists public declarations that did not run; with --all-public that is a failure (TL-T23)")
    func declarations() async throws {
        try await inFolder(floors: "") { folder in
            let symbols = folder.appending(path: "symbols")
            try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
            let declarations = [
                ("func", "s:5Axiom1aSiyF", "a()"), ("method", "s:5Axiom1bSiyF", "B.b()"),
                ("property", "s:5Axiom1cSivp", "c"), ("property", "s:5Axiom6storedSivp", "stored"),
            ]
            try Data(Self.graph(of: declarations).utf8).write(to: symbols.appending(path: "Axiom.symbols.json"))
            let result = try await report(folder, ["--public", "--symbols", symbols.path])
            let expected = """
                Sources/Axiom/Errors/A.swift:2: B.b()
                Sources/Axiom/Errors/A.swift:3: c
                3 public declarations have code; 2 of them did not run in any test.

                """
            #expect(result.output.hasPrefix(expected), "\(result.output)")
            #expect(result.status == 0)
            let strict = try await report(folder, ["--all-public", "--symbols", symbols.path])
            #expect(strict.status == 1)
            #expect(strict.output.hasPrefix(expected), "\(strict.output)")
            #expect(strict.errors == "Public declarations that did not run: 2. Test them, or let them be internal.\n")
        }
    }

    @Test("What cannot run, because a type has no values, is not counted (TL-T23)")
    func uncallable() async throws {
        try await inFolder(floors: "Axiom 100.0\n") { folder in
            let source = folder.appending(path: "Sources/Axiom/A.swift")
            let parent = source.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            let text = """
                func a() {}
                public func handle(_ action: NoAction) async throws {}
                    var index: Int {
                        switch self {}
                    }
                func b(_ action: NoAction?) {}
                """
            try Data(text.utf8).write(to: source)
            // Line 6 takes a value: nil.
            for (count, status) in [(1, Int32(0)), (0, 1)] {
                let lines = (1...6).map { "DA:\($0),\($0 == 1 ? 1 : $0 == 6 ? count : 0)" }
                let functions = ["FNDA:0,$s5Axiom6handleyyAA8NoActionOF", "FNDA:1,$s5Axiom1aSiyF"]
                let rows = ["SF:\(source.path)"] + functions + lines + ["end_of_record\n"]
                try Data(rows.joined(separator: "\n").utf8).write(to: folder.appending(path: "lines.lcov"))
                let result = try await report(folder, ["--uncovered", "Axiom"])
                #expect(result.status == status, "\(result.output) \(result.errors)")
                #expect(result.output.hasPrefix("Sources/Axiom/A.swift: 6\n") == (count == 0), "\(result.output)")
            }
        }
    }

    @Test(
        "A floor below one in the history of the file, or none for code that had one, exits with 1 (TL-T23)",
        .enabled(if: git.mayRun, "git is missing")
    )
    func lowered() async throws {
        try await inFolder(floors: "Axiom 60.5\n") { folder in
            let author = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
            for command in [["init", "-q"], ["add", "floors.txt"], author + ["commit", "-qm", "Floors"]] {
                let result = try await Self.git.run(["-C", folder.path] + command)
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(try await report(folder).status == 0)
            try Data("Axiom 60.4\n".utf8).write(to: folder.appending(path: "floors.txt"))
            let result = try await report(folder)
            #expect(result.status == 1)
            #expect(result.errors == "Axiom: its floor was 60.5 % and is now 60.4 %. Floors only rise.\n")
            try Data("AxiomUI 50.0\n".utf8).write(to: folder.appending(path: "floors.txt"))
            let removed = try await report(folder)
            #expect(removed.status == 1)
            #expect(removed.errors == "Axiom: its floor of 60.5 % is gone, but the code is not. Floors only rise.\n")
        }
    }

    // MARK: Support

    private static func graph(of declarations: [(kind: String, identifier: String, name: String)]) -> String {
        let symbols = declarations.enumerated().map { line, declaration in
            """
            {"kind": {"identifier": "swift.\(declaration.kind)"}, "identifier": {"precise": "\(declaration.identifier)"},
             "pathComponents": ["\(declaration.name.replacing(".", with: "\", \""))"],
             "location": {"uri": "file:///somewhere/Sources/Axiom/Errors/A.swift", "position": {"line": \(line)}}}
            """
        }
        return "{\"symbols\": [\(symbols.joined(separator: ",\n"))]}"
    }

    private func inFolder(floors: String, _ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(floors.utf8).write(to: folder.appending(path: "floors.txt"))
        try Data(Self.lines.utf8).write(to: folder.appending(path: "lines.lcov"))
        try await body(folder)
    }

    /// The report on ``lines``.
    private func report(_ folder: URL, _ arguments: [String] = []) async throws -> Command.Output {
        let files = [("--lines", "lines.lcov"), ("--floors", "floors.txt")]
        return try await coverage(files.flatMap { [$0, folder.appending(path: $1).path] } + arguments)
    }

    private func coverage(_ arguments: [String]) async throws -> Command.Output {
        try await Self.python.run([Repository.root.appending(path: "Scripts/coverage").path] + arguments)
    }
}
