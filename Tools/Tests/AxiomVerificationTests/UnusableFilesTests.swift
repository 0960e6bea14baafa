// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("Files and streams that the command cannot use")
struct UnusableFilesTests {
    private static let notFinal = "import Axiom\n\n@MainActor class CartContext: Context {}\n"

    @Test(
        "Fixes that could not be written are findings, and their files are named",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func readOnly() async throws {
        let folder = try SampleFolder([
            "Sources/A/a.swift": Self.notFinal, "Sources/B/b.swift": Self.notFinal.replacing("Cart", with: "List"),
        ])
        #expect(try await folder.verify().output.contains("final-missing"))
        try folder.permit(0o555, "Sources/A")
        defer { try? folder.permit(0o755, "Sources/A") }
        let result = try await folder.refusedVerify("--fix", "--unsafe", "--format", "agent", "--no-cache")
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.errors.contains("Sources/A/a.swift") && result.errors.contains("1 of 2 files"))
        #expect(result.output.contains("Sources/A/a.swift:3:"), "\(result.output)")
        #expect(!result.output.contains("Sources/B/b.swift:3:"), "\(result.output)")
        #expect(try folder.read("Sources/A/a.swift") == Self.notFinal)
        #expect(try folder.read("Sources/B/b.swift").contains("final class"))
    }

    @Test(
        "A folder that cannot be read is an error",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func unreadableFolder() async throws {
        let folder = try SampleFolder(["Sources/A/a.swift": "", "Sources/B/b.swift": ""])
        try folder.permit(0, "Sources/B")
        defer { try? folder.permit(0o755, "Sources/B") }
        let result = try await folder.refusedVerify("--no-cache")
        #expect(result.status == 2)
        #expect(result.errors.contains("Sources/B cannot be read"), "\(result.errors)")
    }

    @Test(
        "A cache that cannot be written costs time and one line, and no part of a file stays",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)")
    )
    func cache() async throws {
        let folder = try SampleFolder([
            "Sources/a.swift": Self.notFinal, "Sources/b.swift": "import Axiom\n", "file": "",
        ])
        let without = try await folder.verify("--no-cache", "--format", "agent")
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        // A file in the place of the folder, a full disk, and a disk for reading only.
        for (setting, path) in [
            (":", folder.path("file/cache")), ("head -c 2000000 /dev/zero > /mnt/ballast 2> /dev/null", "/mnt/cache"),
            ("mount -o remount,ro /mnt", "/mnt/cache"),
        ] {
            let script = """
                mount -t tmpfs -o size=1m none /mnt; cd '\(folder.root)'; \(setting)
                '\(tool)' --format agent --cache-folder '\(path)'; status=$?; ls -R /mnt | grep -cE '[.][0-9]' >&2; exit $status
                """
            let result = try await Command.run("/usr/bin/env", ["unshare", "-rm", "bash", "-c", script])
            #expect(result.status == without.status && result.output == without.output, "\(result)")
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains(path) && lines[1] == "0", "\(result.errors)")
        }
    }

    @Test("Symbolic links to files and folders are followed, each file once")
    func links() throws {
        let folder = try SampleFolder([
            "Sources/a.swift": "", "Shared/b.swift": "", "Shared/Deep/c.swift": "", "one.swift": "",
        ])
        func link(_ name: String, _ target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        }
        try link("Sources/Linked", "../Shared")
        try link("Sources/Again", "../Shared/Deep")
        try link("Sources/one.swift", "../one.swift")
        try link("Sources/self.swift", "a.swift")
        try link("Shared/Deep/up", "..")
        let finder = SourceFinder(root: folder.root, configuration: Configuration())
        #expect(
            try finder.find(["Sources"]) == [
                "Sources/Again/c.swift", "Sources/Linked/b.swift", "Sources/a.swift", "Sources/one.swift",
            ]
        )
        #expect(
            try finder.find(["."]) == ["Shared/Deep/c.swift", "Shared/b.swift", "Sources/a.swift", "one.swift"]
        )
        try link("Sources/lost.swift", "nowhere.swift")
        let error = #expect(throws: VerifyError.self) { try finder.find(["Sources"]) }
        #expect(error?.message.contains("Sources/lost.swift") == true)
    }

    @Test("Each command exits with 3 if a file does not parse", arguments: ["graph", "imports"])
    func syntax(command: String) async throws {
        let folder = try SampleFolder(["Sources/a.swift": "import Axiom\n", "Sources/b.swift": "struct {"])
        let result = try await folder.verify(command)
        #expect(result.status == 3)
        #expect(result.errors.contains("Sources/b.swift:1"), "\(result.errors)")
    }

    @Test("A file that does not parse is named with what to do")
    func remedy() throws {
        let file = try #require(judge("struct {").unreadableFiles.first)
        #expect(file.location.path == "Sources/Shop/Shop.swift")
        #expect(file.message.hasSuffix("Correct the code, or exclude the file."), "\(file.message)")
    }

    @Test("A dry run exits with 3 if a file does not parse")
    func dryRun() async throws {
        let folder = try SampleFolder(["Sources/a.swift": "import Axiom\n", "Sources/b.swift": "struct {"])
        #expect(try await folder.verify("--fix", "--dry-run").status == 3)
        let refused = try SampleFolder(["Sources/a.swift": Self.notFinal + "struct {"])
        #expect(try await refused.verify("--fix", "--unsafe", "--dry-run").status == 3)
    }

    @Test(
        "An output that cannot be written exits with 2, and a pipe that nobody reads does so without a word",
        arguments: [
            ("TOOL rules > /dev/full; echo $? > status", "standard output"),
            ("TOOL rules >&-; echo $? > status", "standard output"),
            ("{ until [ -e closed ]; do :; done; TOOL rules; echo $? > status; } | { exec <&-; touch closed; }", ""),
            ("TOOL rules > /dev/full 2>&-; echo $? > status", ""),
        ]
    )
    func output(command: String, words: String) async throws {
        let folder = try SampleFolder(["Sources/a.swift": "import Axiom\n"])
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        let result = try await folder.run("bash", ["-c", command.replacing("TOOL", with: tool)])
        #expect(try folder.read("status") == "2\n", "\(result.errors)")
        #expect(words.isEmpty ? result.errors.isEmpty : result.errors.contains(words), "\(result.errors)")
    }
}

extension SampleFolder {
    func permit(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// Runs axiom-verify so that file permissions bind it.
    func refusedVerify(_ arguments: String...) async throws -> Command.Output {
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        let words = Privileges.bound + [tool] + arguments
        return try await run(words[0], Array(words.dropFirst()), environment: ["-u", "CI"])
    }
}
