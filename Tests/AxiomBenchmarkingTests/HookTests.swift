// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// git tells a hook by variables which index and repository it uses. A gate that passes them on checks the baseline out over
/// the commit that is just made.
@Suite(
    "The gate in hooks of git",
    .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
)
struct HookTests {
    /// A repository whose pre-commit hook compares with the tag `base`, in which `later.txt` does not exist yet.
    private func makeRepository(_ sample: SampleProgram) async throws {
        try await sample.makeRepository()
        try write("one", sample.path("notes.txt"))
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", "The base")
        try await sample.git("tag", "base")
        try write("one", sample.path("later.txt"))
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", "Later")
        let hook = "#!/bin/sh\n\(try Self.gate) >>\"\(sample.path(".git/gate.txt"))\" 2>&1\n"
        try write(hook, sample.path(".git/hooks/pre-commit"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: sample.path(".git/hooks/pre-commit")
        )
    }

    private static var gate: String {
        get throws { "\(try SampleProgram.executable) --baseline base --filter allocate --metrics allocations" }
    }

    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The files of a commit, and what is in the index and in the folder beyond it.
    private func state(_ sample: SampleProgram, in folder: String? = nil) async throws -> [String] {
        let files = try await sample.git("ls-tree", "-r", "--name-only", "HEAD", in: folder)
        let branch = try await sample.git("symbolic-ref", "--short", "HEAD", in: folder)
        let status = try await sample.git("status", "--porcelain", in: folder)
        return [branch] + files.split(separator: "\n").map(String.init) + [status]
    }

    private static let files = [".gitignore", "Package.swift", "Sources/main.swift", "later.txt", "notes.txt"]

    @Test(
        "Commits of everything and of one file hold what the user wanted, and so does the index",
        .timeLimit(.minutes(10))
    )
    func commits() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await makeRepository(sample)
        try write("two", sample.path("notes.txt"))
        try await sample.git("commit", "-qam", "Everything")
        #expect(try await state(sample) == ["main"] + Self.files + [""])
        #expect(try await sample.git("show", "HEAD:notes.txt") == "two")

        try write("three", sample.path("notes.txt"))
        try write("two", sample.path("later.txt"))
        try await sample.git("add", "later.txt")
        try await sample.git("commit", "-qm", "One file", "notes.txt")
        #expect(try await state(sample) == ["main"] + Self.files + ["M  later.txt"])
        #expect(try await sample.git("show", "HEAD:notes.txt") == "three")
        #expect(try await sample.git("show", "HEAD:later.txt") == "one")
        // The hook compared, and did not only fail in silence.
        #expect(try String(contentsOfFile: sample.path(".git/gate.txt"), encoding: .utf8).contains("judged 1 of 1"))
    }

    @Test("In a linked worktree, a commit and a rebase leave the branch checked out", .timeLimit(.minutes(10)))
    func linked() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await makeRepository(sample)
        let linked = sample.path("linked")
        try await sample.git("worktree", "add", "-q", "-b", "topic", linked)
        try write("two", "\(linked)/notes.txt")
        try await sample.git("commit", "-qam", "In the worktree", in: linked)
        #expect(try await state(sample, in: linked) == ["topic"] + Self.files + [""])
        #expect(try await sample.git("show", "topic:notes.txt") == "two")
        try await sample.git("rebase", "-q", "--force-rebase", "--exec", try Self.gate, "base", in: linked)
        #expect(try await state(sample, in: linked) == ["topic"] + Self.files + [""])
        #expect(try await sample.git("show", "topic:notes.txt") == "two")
        #expect(try await sample.git("symbolic-ref", "--short", "HEAD") == "main")
    }
}
