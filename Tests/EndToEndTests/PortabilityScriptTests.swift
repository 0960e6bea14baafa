// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Scripts/portability", .timeLimit(.minutes(10)))
struct PortabilityScriptTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    @Test("This repository passes")
    func repository() async throws {
        let script = Repository.root.appending(path: "Scripts/portability").path
        let result = try await Self.python.run([script])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("Musl") && result.output.contains("Not built: macOS"), "\(result.output)")
    }

    @Test("An import of Glibc alone fails with its line, and --fix adds the branch for Musl")
    func bareImport() async throws {
        let bare = "internal import AxiomBase\ninternal import Glibc\n\nlet one = 1\n"
        let result = try await inFolder(bare) { run, source in
            let before = try await run([])
            #expect(before.status == 1)
            #expect(
                before.errors.contains("Sources/AxiomHTTP/A.swift:2: imports Glibc without #if canImport(Glibc)"),
                "\(before.errors)"
            )
            let after = try await run(["--fix"])
            #expect(after.output.contains("Fixed:     Sources/AxiomHTTP/A.swift"))
            return (after, try String(contentsOf: source, encoding: .utf8))
        }
        #expect(result.0.status == 0, "\(result.0.errors)")
        let fixed = """
            internal import AxiomBase

            #if canImport(Glibc)
            internal import Glibc
            #elseif canImport(Musl)
            internal import Musl
            #endif

            let one = 1

            """
        #expect(result.1 == fixed)
    }

    @Test(
        "A name of Glibc outside of a condition fails with its line",
        arguments: ["let type = SOCK_STREAM.rawValue", "Glibc.close(1)", "let events = EPOLLIN.rawValue"]
    )
    func glibcName(line: String) async throws {
        for path in ["Sources/AxiomHTTP/A.swift", "Tests/FuzzTests/A.swift", "Benchmarks/axiom-bench/A.swift"] {
            let result = try await inFolder("\(line)\n", path) { run, _ in try await run([]) }
            #expect(result.status == 1, "\(path)")
            #expect(result.errors.contains("\(path):1: "), "\(result.errors)")
        }
    }

    @Test(
        "A name of Glibc in a condition or in a text passes",
        arguments: [
            #"let text = "Glibc.close(1)""#, #"let text = "\"Glibc.close(1)""#,
            "#if canImport(Glibc)\nGlibc.close(1)\n#else\nMusl.close(1)\n#endif",
        ]
    )
    func allowedName(text: String) async throws {
        let result = try await inFolder("\(text)\n", "Tests/FuzzTests/A.swift") { run, _ in try await run([]) }
        #expect(result.status == 0, "\(result.errors)")
    }

    /// Runs a copy of the script in a folder with one file of sources, and the features of this repository.
    private func inFolder<Result>(
        _ text: String,
        _ path: String = "Sources/AxiomHTTP/A.swift",
        _ body: (_ run: ([String]) async throws -> Command.Output, _ source: URL) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: path)
        let copied = ["Scripts/portability", "Package.swift", "Tools/Package.swift"]
        for file in [source] + copied.map({ folder.appending(path: $0) }) {
            let parent = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        }
        try Data(text.utf8).write(to: source)
        for file in copied {
            try Data(contentsOf: Repository.root.appending(path: file)).write(to: folder.appending(path: file))
        }
        let script = folder.appending(path: "Scripts/portability").path
        return try await body({ try await Self.python.run([script] + $0) }, source)
    }
}
