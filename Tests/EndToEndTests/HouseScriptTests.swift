// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Scripts/house", .timeLimit(.minutes(10)))
struct HouseScriptTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )
    private static let git = ExternalTool(
        installation: "git is missing: apt-get install git",
        path: ExternalTool.find("git")
    )

    @Test("This repository keeps to its budget")
    func repository() async throws {
        let script = Repository.root.appending(path: "Scripts/house").path
        let result = try await Self.python.run([script, "--check"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "Sources keep to Scripts/house-budget.txt.\n")
    }

    struct Plant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "Sources/One/Upper/Planted.swift"
        let text: String
        let error: String
    }

    @Test(
        "Each violation is found, with its place and a remedy",
        arguments: [
            Plant(testDescription: "lines", text: "// More\n", error: "has 19 lines, 1 more than its budget. Remove"),
            Plant(
                testDescription: "a public declaration",
                text: "public func f() {}\n",
                error: "One has 2 public declarations, and its budget is 1. Let them be package"
            ),
            Plant(
                testDescription: "a public declaration of a new module",
                path: "Sources/Two/Planted.swift",
                text: "public let a = 1\n",
                error: "Two has 1 public declarations, and its budget is 0. Let them be package"
            ),
            Plant(
                testDescription: "a condition with a trait that the house has not",
                text: "#if os(Linux) && Tools\n#endif\n",
                error: "Sources/One/Upper/Planted.swift:1: the condition os(Linux) && Tools is no platform"
            ),
            Plant(
                testDescription: "one more condition with a counted trait",
                text: "let a = 1\n#if !Instrumented\n#endif\n",
                error: "2 conditions name Instrumented, and the budget is 1. Ask a constant that one of them declares: "
            ),
            Plant(
                testDescription: "a cycle of folders",
                path: "Sources/One/Lower/Planted.swift",
                text: "let upper: Upper? = nil\n",
                error: "Sources/One: the folders Lower, Upper use each other: Lower uses Upper of Upper"
            ),
            Plant(
                testDescription: "a type name of two modules, one of them a tool",
                path: "Tools/Sources/Two/Planted.swift",
                text: "/// struct Upper {}\nprivate enum Lower {}\n",
                error: "Lower is a type of One and of Two: a reader takes one for the other. Rename one of them.\n"
            ),
            Plant(
                testDescription: "ten equal lines",
                text: "import B\n// Another\n" + Self.body,
                error: "10 from One/Lower/A.swift:4 and One/Upper/Planted.swift:3. Let one function serve both"
            ),
        ]
    )
    func plants(plant: Plant) async throws {
        try await inFolder { folder, check in
            let before = try await check([])
            #expect(before.status == 0, "\(before.errors)")
            try Self.write(plant.text, folder.appending(path: plant.path))
            let result = try await check([])
            #expect(result.status == 1)
            #expect(result.errors.contains(plant.error), "\(result.errors)")
        }
    }

    @Test(
        "An exception with its reason passes, and one that is not needed any more fails",
        arguments: [
            ("Lower/Planted.swift", "let upper: Upper? = nil\n", "cycle One Upper Lower : REASON", "there is no cycle"),
            (
                "Upper/Planted.swift", Self.body, "equal One/Upper/Planted.swift One/Lower/A.swift 10 : REASON",
                "have no equal lines any more"
            ),
        ]
    )
    func exceptions(path: String, text: String, line: String, stale: String) async throws {
        try await inFolder("lines 40\n\(line)\n") { folder, check in
            let unneeded = try await check([])
            #expect(unneeded.status == 1 && unneeded.errors.contains(stale), "\(unneeded.errors)")
            try Self.write(text, folder.appending(path: "Sources/One/\(path)"))
            let needed = try await check([])
            #expect(needed.status == 0, "\(needed.errors)")
        }
    }

    @Test(
        "A budget that cannot be read names its line and what to do",
        arguments: [
            ("lines many", "house-budget.txt:3: what does this mean: lines many. The first lines of the file say"),
            ("rooms 4", "house-budget.txt:3: what does this mean: rooms 4. The first lines of the file say"),
            ("public One 7", "house-budget.txt:3: public One 7 stands there twice. Remove one."),
            ("cycle One Lower Upper", "house-budget.txt:3: cycle needs its reason, behind a colon and a space."),
            ("public Nine 7", "there is no module Nine. Remove its line."),
            ("moved Tests/Nine 7 : REASON", "Tests/Nine, to which lines moved, does not exist."),
            ("moved Sources/One 19 : REASON", "Sources/One has 18 lines, and 19 moved there. Run Scripts/house"),
        ]
    )
    func wrongBudget(line: String, error: String) async throws {
        try await inFolder("\(line)\nlines 18\n") { _, check in
            let result = try await check([])
            #expect(result.status == 1)
            #expect(result.errors.contains(error) && !result.errors.contains("Traceback"), "\(result.errors)")
        }
    }

    @Test("A missing budget says how it comes back")
    func missingBudget() async throws {
        try await inFolder { folder, check in
            try FileManager.default.removeItem(at: folder.appending(path: "Scripts/house-budget.txt"))
            let result = try await check([])
            #expect(result.status == 1)
            #expect(result.errors == "Scripts/house-budget.txt is missing: `git checkout Scripts/house-budget.txt`\n")
        }
    }

    @Test("--lower writes lower numbers and never higher ones, and removes what is not needed")
    func lower() async throws {
        let old =
            "lines 50 : 50\n\npublic Nine 2\ncycle One Lower Upper : REASON\nequal A B 12 : REASON\n"
            + "moved Sources/One/Upper 9 : REASON\n# End\n"
        try await inFolder(old) { folder, check in
            let result = try await check(["--lower"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output
                    == "lines: from 50 to 18\npublic Nine: gone\ncycle One Lower Upper: gone\nequal A B: gone\n"
                    + "moved Sources/One/Upper: from 9 to 5\n"
            )
            let budget = folder.appending(path: "Scripts/house-budget.txt")
            let new = "lines 18 : 50\n\nmoved Sources/One/Upper 5 : REASON\n# End\n"
            #expect(try String(contentsOf: budget, encoding: .utf8) == Self.budget + new)
            try Self.write("public let b = 1\n", folder.appending(path: "Sources/One/B.swift"))
            let again = try await check(["--lower"])
            #expect(again.output.isEmpty)
            let held = try await check([])
            #expect(held.status == 1, "one line and one public declaration are too many")
        }
    }

    @Test(
        "A number that rises in the history of the budget needs a reason, and at the next time another one",
        .enabled(if: git.mayRun, "git is missing")
    )
    func rise() async throws {
        try await inFolder("lines 18\n") { folder, check in
            func commit(_ text: String) async throws {
                try Self.write(Self.budget + text, folder.appending(path: "Scripts/house-budget.txt"))
                let author = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
                for command in [["add", "Scripts"], author + ["commit", "-qm", "Budget"]] {
                    let result = try await Self.git.run(["-C", folder.path] + command)
                    #expect(result.status == 0, "\(result.errors)")
                }
            }
            let repository = try await Self.git.run(["-C", folder.path, "init", "-q"])
            #expect(repository.status == 0, "\(repository.errors)")
            try await commit("lines 18\n")
            let rises = "lines rises from 18 to 20. Numbers fall: go back to it, or write a new reason"
            for (line, error) in [
                ("lines 20\n", rises), ("lines 20 : requests\n", nil),
                ("lines 21 : requests\n", "lines rises from 20 to 21."), ("lines 21 : diagnosis\n", nil),
                ("lines 18\n", nil),
            ] {
                try await commit(line)
                let result = try await check([])
                #expect(result.status == (error == nil ? 0 : 1), "\(line): \(result.errors)")
                #expect(error.map { result.errors.contains($0) } ?? result.errors.isEmpty, "\(line): \(result.errors)")
            }
        }
    }

    // MARK: Support

    /// Ten lines.
    private static let body = (1...10).map { "let number\($0) = \($0)\n" }.joined()
    private static let budget = "public One 1\nconditions Instrumented 1\n"

    private static func write(_ text: String, _ file: URL) throws {
        let parent = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Runs copies of the scripts in a folder with a module of two folders and 18 lines.
    private func inFolder(
        _ lines: String = "lines 18\n",
        _ body: (_ folder: URL, _ check: ([String]) async throws -> Command.Output) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lower = "// One\nimport A\npublic struct Lower {}\n" + Self.body
        try Self.write(lower, folder.appending(path: "Sources/One/Lower/A.swift"))
        let upper = "struct Upper { let lower: Lower }\n#if Instrumented\n#elseif os(Linux) || DEBUG\n#endif\n\n"
        try Self.write(upper, folder.appending(path: "Sources/One/Upper/B.swift"))
        try Self.write(Self.budget + lines, folder.appending(path: "Scripts/house-budget.txt"))
        for file in ["Scripts/house", "Scripts/house_budget.py", "Scripts/house_shape.py"] {
            try Data(contentsOf: Repository.root.appending(path: file)).write(to: folder.appending(path: file))
        }
        let script = folder.appending(path: "Scripts/house").path
        try await body(folder) { try await Self.python.run([script] + ($0.isEmpty ? ["--check"] : $0)) }
    }
}
