// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The map of the sources", .timeLimit(.minutes(10)))
struct ArchitecturePageTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    private static let page = """
        ## Modules

        | module | uses | contents |
        | --- | --- | --- |
        | `AxiomBase` | | clocks |
        | `Axiom` | Base | components |
        | `AxiomHTTP` | Axiom | a server |

        In `Axiom` a folder uses only folders above it in this list:

        | folder | contents |
        | --- | --- |
        | `Lower` | names |
        | `Upper` | scopes |

        `AxiomBase/A.swift` and `Axiom/Upper/B.swift`, `Lower/C.swift`
        """

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: String
        let new: String
        let mistakes: String
    }

    @Test(
        "Each difference from the sources is a mistake with a remedy",
        arguments: [
            Change(testDescription: "none", old: "clocks", new: "clocks, locks", mistakes: ""),
            Change(
                testDescription: "a file that was renamed",
                old: "`Lower/C.swift`",
                new: "`Lower/D.swift`",
                mistakes: "there is no Lower/D.swift: name the file where that happens now\n"
            ),
            Change(
                testDescription: "a module without a row",
                old: "| `AxiomHTTP` | Axiom | a server |\n",
                new: "",
                mistakes: "the module AxiomHTTP has no row in the tables of modules\n"
            ),
            Change(
                testDescription: "a module that uses more",
                old: "| `Axiom` | Base |",
                new: "| `Axiom` | |",
                mistakes: "Axiom uses AxiomBase, which its row does not name\n"
            ),
            Change(
                testDescription: "a module that uses less",
                old: "| `AxiomBase` | |",
                new: "| `AxiomBase` | HTTP |",
                mistakes: "AxiomBase does not use Axiom, which its row names\n"
                    + "AxiomBase does not use AxiomHTTP, which its row names\n"
            ),
            Change(
                testDescription: "modules in another order",
                old: "| `AxiomBase` | | clocks |\n| `Axiom` | Base | components |\n",
                new: "| `Axiom` | Base | components |\n| `AxiomBase` | | clocks |\n",
                mistakes: "Axiom uses AxiomBase, which has no row above it\n"
            ),
            Change(
                testDescription: "folders in another order",
                old: "| `Lower` | names |\n| `Upper` | scopes |\n",
                new: "| `Upper` | scopes |\n| `Lower` | names |\n",
                mistakes: "the folder Upper of Axiom uses Low of Lower, which stands below it\n"
            ),
            Change(
                testDescription: "a folder without a row",
                old: "| `Lower` | names |\n",
                new: "",
                mistakes: "the folder Lower of Axiom has no row\n"
            ),
        ]
    )
    func differences(change: Change) async throws {
        try #require(Self.page.contains(change.old))
        let page = Self.page.replacingOccurrences(of: change.old, with: change.new)
        let mistakes = try await mistakes(in: ["Documentation/architecture.md": page])
        #expect(
            mistakes.replacingOccurrences(of: "Documentation/architecture.md: error: ", with: "") == change.mistakes
        )
    }

    @Test("A file that another page names exists, unless it is of a sample; a command may follow it")
    func otherPages() async throws {
        let mistakes = try await mistakes(in: [
            "Documentation/architecture.md": Self.page,
            "Documentation/other.md":
                "```\n`Sources/None.swift`\n```\n`Scripts/house_shape.py --check`, `Scripts/none --check`\n",
            "README.md": "`Sources/Axiom/Upper/B.swift`, `Sources/Teahouse/main.swift`, `Sources/Axiom/B.swift`\n",
        ])
        #expect(
            mistakes == """
                Documentation/other.md:4: error: there is no Scripts/none: name the file where that happens now
                README.md:1: error: there is no Sources/Axiom/B.swift: name the file where that happens now

                """
        )
    }

    /// What the script says of pages beside sources to which `page` fits.
    private func mistakes(in pages: [String: String]) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ path: String) throws {
            let file = folder.appending(path: path)
            let parent = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        for (path, text) in pages { try write(text, path) }
        try write("struct A {}\n", "Sources/AxiomBase/A.swift")
        try write("package import AxiomBase\nstruct B { let low: Low }\n", "Sources/Axiom/Upper/B.swift")
        try write("@testable import Foundation\nstruct Low {}\n", "Sources/Axiom/Lower/C.swift")
        try write("import Axiom\n", "Sources/AxiomHTTP/H.swift")
        try write("", "Tools/Sources/README")
        for file in ["house_shape.py", "documenting/architecture.py", "documenting/markdown.py"] {
            let script = Repository.root.appending(path: "Scripts/\(file)")
            try write(String(contentsOf: script, encoding: .utf8), "Scripts/\(file)")
        }
        let program = """
            import pathlib, sys
            sys.path.insert(0, sys.argv[1] + "/Scripts")
            from documenting import architecture
            for mistake in architecture.mistakes(pathlib.Path(sys.argv[1])):
                print(mistake)
            """
        let result = try await Self.python.run(["-B", "-c", program, folder.path])
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }
}
