// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The choice of a baseline", .timeLimit(.minutes(5)))
struct BaselineChoiceTests {
    private func find(_ name: String, _ sample: SampleProgram) throws -> BaselineReference {
        try BaselineReference.find(name, PackageFolder(path: sample.folder.path, product: "program"), nil)
    }

    /// Commits a file of this text, which may be the one that is there.
    @discardableResult
    private func commit(_ text: String, _ sample: SampleProgram) async throws -> String {
        try sample.write(text, "notes.txt")
        try await sample.git("add", "-A")
        try await sample.git("commit", "-q", "--allow-empty", "-m", "Notes")
        return try await sample.git("rev-parse", "HEAD")
    }

    @Test("A file precedes a revision, and a revision precedes a saved name; a folder is none of them")
    func kinds() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        let first = try await sample.git("rev-parse", "HEAD")
        try await commit("one", sample)
        try await sample.git("branch", "night", first)
        for name in ["night", "day"] { try sample.write("{}", "Benchmarks/baselines/\(name).json") }
        #expect(try find(sample.path("notes.txt"), sample) == .file(sample.path("notes.txt")))
        #expect(try find("night", sample) == .revision(sha: first, name: "night"))
        #expect(try find("day", sample) == .file(sample.path("Benchmarks/baselines/day.json")))
        for name in [sample.folder.path, "neither", "neither.json"] {
            let error = #expect(throws: BenchmarkError.self) { try find(name, sample) }
            #expect(error?.code == .baseline)
        }
        #expect(BaselineReference.isPath("night.json") && BaselineReference.isPath("./night"))
        #expect(!BaselineReference.isPath("night"))
    }

    @Test("A branch is compared with the commit at which it left, also if the other branch has gone on")
    func mergeBase() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        let base = try await commit("one", sample)
        try await sample.git("checkout", "-qb", "topic")
        try await commit("two", sample)
        #expect(try find("main", sample) == .revision(sha: base, name: "main"))
        try await sample.git("checkout", "-q", "main")
        try await commit("three", sample)
        try await sample.git("checkout", "-q", "topic")
        #expect(try find("main", sample) == .revision(sha: base, name: "the merge base with main"))
        #expect(
            try find(BaselineReference.automatic, sample) == .revision(sha: base, name: "the merge base with main")
        )
    }

    @Test("What is checked out is compared with its parent if that differs, and with itself if files were changed")
    func checkedOut() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        guard case .nothing(let reason) = try find("main", sample) else {
            Issue.record("the first commit has nothing to compare with")
            return
        }
        #expect(reason == "main is what is checked out, and it has no parent that differs")
        let parent = try await sample.git("rev-parse", "HEAD")
        let head = try await commit("one", sample)
        #expect(
            try find("main", sample) == .revision(sha: parent, name: "the parent of main, which is checked out")
        )
        try sample.write("two", "notes.txt")
        #expect(try find("main", sample) == .revision(sha: head, name: "main"))
        try await commit("one", sample)
        guard case .nothing = try find("main", sample) else {
            Issue.record("the parent is the same tree")
            return
        }
    }

    @Test("The default branch is that of the remote repository, whatever other branches are called")
    func defaultBranch() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let origin = sample.below("origin")
        try FileManager.default.createDirectory(at: origin.folder, withIntermediateDirectories: true)
        try await origin.makeRepository()
        let first = try await origin.git("rev-parse", "HEAD")
        try await origin.git("checkout", "-qb", "develop")
        let base = try await commit("one", origin)
        try await sample.git("clone", "-q", origin.folder.path, sample.path("clone"), in: origin.folder.path)
        let clone = sample.below("clone")
        try await clone.git("branch", "main", first)
        try await clone.git("checkout", "-qb", "topic")
        try await commit("two", clone)
        let automatic = BaselineReference.automatic
        #expect(try find(automatic, clone) == .revision(sha: base, name: "origin/develop"))
        try await clone.git("remote", "remove", "origin")
        #expect(try find(automatic, clone) == .revision(sha: first, name: "main"))
    }

    @Test("Without version control it is the committed file, and without one an error")
    func committedFile() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try sample.write("", "Package.swift")
        let error = #expect(throws: BenchmarkError.self) { try find(BaselineReference.automatic, sample) }
        #expect(error?.code == .baseline)
        try sample.write("{}", "Benchmarks/baselines/main.json")
        let file = sample.path("Benchmarks/baselines/main.json")
        #expect(try find(BaselineReference.automatic, sample) == .file(file))
    }

    @Test("The revision of a file is measured again unless files had been changed when the file was recorded")
    func dirtyFile() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        try sample.write("changed", "notes.txt")
        let file = sample.path("base.json")
        let sizes = ["--filter", "allocate", "--metrics", "peak-rss", "--package-path", sample.folder.path]
        #expect(try await sample.run(sizes + ["--save", file]).status == 0)
        let saved = try BaselineFile.load(from: file)
        #expect(saved.source.isDirty && !saved.source.sha.isEmpty)
        let output = try await sample.run(sizes + ["--baseline", file, "--lenient", "--format", "json"])
        #expect(output.output.contains("\"mode\" : \"file\""), "\(output.output) \(output.errors)")
        #expect(!output.errors.contains("building "), "\(output.errors)")
    }
}
