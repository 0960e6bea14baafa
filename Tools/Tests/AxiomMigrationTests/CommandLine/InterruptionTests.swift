// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("A migration that is interrupted, or whose files change meanwhile", .timeLimit(.minutes(10)))
struct InterruptionTests {
    @Test(
        "A signal during a build ends all programs of the build, removes the copy and writes nothing (exit 2)",
        arguments: [SIGINT, SIGTERM]
    )
    func build(signal: Int32) async throws {
        let folder = try MigrationFolder(["Sources/Cart.swift": "import AxiomR3\n"])
        try await folder.commit()
        let original = try folder.sources
        let pipe = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)").path
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        // The reader ends when every program of the build has: each holds the pipe open.
        let reader = try RunningProgram("/bin/cat", [pipe])
        let build = "exec 3>'\(pipe)'; echo started >&3; sleep 600; true"
        let tool = try folder.start(["--build", build])
        try await reader.firstLine("started") { $0 == "started" ? () : nil }
        #expect(try folder.neighbours.count == 1, "the copy")
        tool.signal(signal)
        #expect(await tool.exitCode() == 2)
        #expect(tool.output.contains("axiom-migrate: interrupted. Nothing was written."), "\(tool.output)")
        #expect(await reader.exitCode() == 0)
        #expect(try folder.neighbours == [])
        #expect(try folder.sources == original)
        #expect(!folder.exists("axiom-migrate.json"))
    }

    @Test("A file that is edited during the build stops it before anything is written, and the remedy works (exit 2)")
    func editedMeanwhile() async throws {
        let (name, text) = ("Sources/Cart.swift", "import AxiomR3\n")
        let folder = try MigrationFolder([name: text, "Sources/Order.swift": text])
        try await folder.commit()
        // The build runs in the copy; this edits the project.
        let result = try await folder.migrate("--build", "echo '// mine' >> '\(folder.path(name))'")
        #expect(result.status == 2, "\(result.output)")
        let message = """
            axiom-migrate: Sources/Cart.swift changed while it was migrated: commit the change or take it back, and run again. \
            Nothing was written.

            """
        #expect(result.errors == message, "\(result.errors)")
        #expect(!folder.exists("axiom-migrate.json"))
        #expect(try folder.read(name) == text + "// mine\n")
        #expect(try folder.read("Sources/Order.swift") == text)
        try await folder.commit()
        let again = try await folder.migrate("--build", "true")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try folder.read(name) == "import Axiom\n// mine\n")
    }
}
