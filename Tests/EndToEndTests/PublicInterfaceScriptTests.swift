// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Scripts/api", .timeLimit(.minutes(10)))
struct PublicInterfaceScriptTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    @Test("A declaration that is gone, and one that is new, are named, until they are renewed (TL-D8)")
    func differences() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await api(folder, "--renew").status == 0)
        #expect(try await api(folder).status == 0)

        let file = folder.appending(path: "AxiomResilience.txt")
        let accepted = try String(contentsOf: file, encoding: .utf8)
        let line = "Backoff.none: static let none: Backoff\n"
        try #require(accepted.contains(line))
        try Data(accepted.replacing(line, with: "Backoff.never: static let never: Backoff\n").utf8).write(to: file)
        let differs = try await api(folder)
        #expect(differs.status == 1)
        #expect(
            differs.output.hasPrefix(
                """
                Removed or changed: can break code of users (1):
                    AxiomResilience  Backoff.never: static let never: Backoff
                Added (1):
                    AxiomResilience  Backoff.none: static let none: Backoff

                """
            ),
            "\(differs.output)"
        )
        // A module that is gone is a removal of all that it declared.
        try FileManager.default.moveItem(at: file, to: folder.appending(path: "AxiomGone.txt"))
        #expect(try await api(folder).output.contains("AxiomGone  Backoff: struct Backoff"))

        #expect(try await api(folder, "--renew").status == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == accepted)
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "AxiomGone.txt").path))
    }

    @Test("The aliases of AxiomCompatibility are compared, although no build of the tests has its trait")
    func compatibility() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await api(folder, "--renew").status == 0)
        let aliases = try String(contentsOf: folder.appending(path: "AxiomCompatibility.txt"), encoding: .utf8)
        #expect(aliases.contains("StatefulClient: typealias StatefulClient = Client\n"))
    }

    @Test("Macros that are not built are named with the command that builds them, and fail with --all")
    func macros() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let without = try await api(folder, "--renew")
        let how = "Scripts/test --build macros"
        #expect(without.status == 0 && without.errors.contains("AxiomMacros is not compared: \(how)"))
        let all = try await api(folder, "--all")
        #expect(all.status == 1 && all.errors.contains("The macros are not built: \(how)"))
    }

    @Test("A folder without modules is refused with what to do")
    func noModules() async throws {
        let script = Repository.root.appending(path: "Scripts/api").path
        let result = try await Self.python.run([script, "--scratch-path", "/nowhere"])
        #expect(result.status == 1 && result.errors.contains("build the tests first"))
    }

    private func api(_ accepted: URL, _ arguments: String...) async throws -> Command.Output {
        let scratch = try BuildFolder().url.deletingLastPathComponent().deletingLastPathComponent()
        let script = Repository.root.appending(path: "Scripts/api").path
        let folders = ["--scratch-path", scratch.path, "--accepted", accepted.path, "--macros", "/nowhere"]
        return try await Self.python.run([script] + folders + arguments)
    }
}
