// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing with a revision")
struct RevisionTests {
    @Test("A second process that builds or measures in a package waits and names the first", .timeLimit(.minutes(10)))
    func second() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let folder = sample.folder.path
        var first: FolderLock? = try FolderLock(folder) { Issue.record("nobody has it: \($0)") }
        withExtendedLifetime(first) {}
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let second = Task.detached {
            _ = try FolderLock(folder) { continuation.yield($0) }
            return true
        }
        let line = await lines.first { _ in true }
        #if os(Linux)
        #expect(line == "waiting for this process, which builds or measures in \(folder)")
        #endif
        #expect(line?.hasSuffix(folder) == true)
        first = nil
        #expect(try await second.value)
    }

    @Test(
        "Two processes that compare in one package take turns, and the second goes on if the first is killed",
        .enabled(
            if: ExternalTool.swiftc.mayRun,
            "swiftc is missing: it comes with Swift, whose folder must be in PATH"
        ),
        .timeLimit(.minutes(10))
    )
    func twoProcesses() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        for killed in [true, false] {
            // On a busy machine the first one may have ended before it is stopped.
            var attempt = 0
            while try await !takeTurns(sample, "\(killed) \(attempt)", killed: killed) {
                attempt += 1
                try #require(attempt < 10, "the second one never waited")
            }
        }
    }

    /// Begins a comparison, stops it while it builds, begins a second one, and ends the first, or lets it go on.
    ///
    /// - Returns: Whether the second one waited; false if the first had ended before it was stopped.
    private func takeTurns(_ sample: SampleProgram, _ round: String, killed: Bool) async throws -> Bool {
        let arguments = ["--baseline", "HEAD"] + Self.counts(sample)
        func begin() throws -> RunningProgram { try RunningProgram(try SampleProgram.executable, arguments) }
        // Another revision, so that there is something to build.
        try sample.write(round, "round.txt")
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", "A round")
        try sample.write("changed", "round.txt")
        let first = try begin()
        try await first.firstLine("its turn") { $0.hasPrefix("building ") ? () : nil }
        // The second one begins before the first one ends.
        first.signal(SIGSTOP)
        defer { first.signal(SIGCONT) }
        let second = try begin()
        guard let line = try? await second.firstLine("its wait", { $0.hasPrefix("waiting for ") ? $0 : nil }) else {
            #expect(await second.exitCode() == 0, "\(second.output)")
            try #require(!first.isRunning, "the second one did not wait for the first, which is stopped")
            #expect(await first.exitCode() == 0, "\(first.output)")
            return false
        }
        #if os(Linux)
        #expect(line.hasPrefix("waiting for process "))
        #endif
        first.signal(killed ? SIGKILL : SIGCONT)
        #expect(await first.exitCode() == (killed ? SIGKILL : 0), "\(first.output)")
        #expect(await second.exitCode() == 0, "\(second.output)")
        return true
    }

    @Test(
        "Builds it in a worktree, once, and exits 1 with the benchmark and the metric that got worse",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
    )
    func planted() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        let counts = Self.counts(sample)
        try await sample.git("checkout", "-qb", "topic")
        try sample.write("changed", "notes.txt")
        let worse = try await sample.run(["--baseline", "main"] + counts, ["SAMPLE_ALLOCATIONS": "2"])
        #expect(worse.status == 1, "\(worse.output) \(worse.errors)")
        let line = try #require(worse.output.split(separator: "\n").first { $0.contains("regression") })
        #expect(line.contains("strings/allocate") && line.contains("allocations"))
        // Without a value it is where this branch left main. The program was kept, and nothing is compiled.
        let same = try await sample.run(["--baseline"] + counts)
        #expect(same.status == 0, "\(same.output) \(same.errors)")
        #expect(same.output.contains("against main") && same.errors.contains("reusing the build of main"))
        let unknown = try await sample.run(["--baseline", "no-such-revision"] + counts)
        #expect(unknown.status == 4)
    }

    @Test(
        "Exits 5 with the compiler's message if the revision cannot be built",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
    )
    func broken() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try FileManager.default.createDirectory(atPath: sample.path("Sources"), withIntermediateDirectories: true)
        try await sample.makeRepository()
        let source = sample.path("Sources/main.swift")
        try "let nothing: Nothing".write(toFile: source, atomically: true, encoding: .utf8)
        try await sample.git("commit", "-qam", "Broken")
        try sample.write("changed", "notes.txt")
        let output = try await sample.run(["--baseline", "HEAD", "--package-path", sample.folder.path])
        #expect(output.status == 5)
        #expect(output.errors.contains("Nothing"), "\(output.errors)")
    }

    private static func counts(_ sample: SampleProgram) -> [String] {
        ["--package-path", sample.folder.path, "--filter", "allocate", "--metrics", "allocations"]
    }

    @Test("What is checked out is compared with its parent, and where nothing differs the exit code is 3")
    func sameTree() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        let counts = Self.counts(sample)
        for name in [["--baseline"], ["--baseline", "main"], ["--baseline", "HEAD"]] {
            let only = try await sample.run(name + counts)
            #expect(only.status == 3, "\(only.output) \(only.errors)")
            #expect(only.output.contains("is what is checked out") && only.output.contains("judged 0 of 1"))
            #expect(try await sample.run(name + counts + ["--lenient"]).status == 0)
        }
        try sample.write("one", "notes.txt")
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", "The second")
        let parent = try await sample.run(["--baseline", "main"] + counts)
        #expect(parent.status == 0, "\(parent.output) \(parent.errors)")
        #expect(parent.output.contains("the parent of main, which is checked out"))
    }

    @Test("A branch is compared with the commit at which it left, not with what the other branch did since")
    func behind() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        try await sample.git("checkout", "-qb", "topic")
        try sample.write("a comment", "notes.txt")
        try await sample.git("checkout", "-q", "main")
        // Main improves: no allocation is left.
        let source = try String(contentsOfFile: sample.path("Sources/main.swift"), encoding: .utf8)
        let better = source.replacingOccurrences(
            of: "\"SAMPLE_ALLOCATIONS\", \"1\"",
            with: "\"SAMPLE_ALLOCATIONS\", \"0\""
        )
        #expect(better != source)
        try sample.write(better, "Sources/main.swift")
        try await sample.git("commit", "-qam", "Better")
        try await sample.git("checkout", "-q", "topic")
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", "A comment")
        let output = try await sample.run(["--baseline", "main"] + Self.counts(sample))
        #expect(output.status == 0, "\(output.output) \(output.errors)")
        #expect(output.output.contains("against the merge base with main"))
    }

    @Test("A kept build is used for its compiler and versions only, and never if another program is in its place")
    func kept() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        try sample.write("changed", "notes.txt")
        let command = ["--baseline", "main"] + Self.counts(sample)
        #expect(try await sample.run(command).errors.contains("building main"))
        #expect(try await sample.run(command).errors.contains("reusing the build of main"))
        let program = try #require(try sample.files(named: "sample-benchmarks", below: ".build/axiom-bench").first)
        try "#!/bin/sh\nexit 0\n".write(toFile: program, atomically: true, encoding: .utf8)
        let foreign = try await sample.run(command)
        #expect(foreign.status == 0 && foreign.errors.contains("building main"), "\(foreign.errors)")
        try sample.write("{\"pins\": [], \"version\": 3}", "Package.resolved")
        #expect(try await sample.run(command).errors.contains("building main"))
    }

    @Test("A package that depends on a folder beside it is built with that folder")
    func outside() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try FileManager.default.createDirectory(atPath: sample.path("own"), withIntermediateDirectories: true)
        try sample.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Beside", products: [.library(name: "Beside", targets: ["Beside"])], targets: [.target(name: "Beside", path: ".")]
            )
            """,
            "Beside/Package.swift"
        )
        try sample.write("public let allocations = \"1\"", "Beside/Beside.swift")
        let own = sample.below("own")
        try await own.makeRepository()
        try own.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Small", dependencies: [.package(path: "../Beside")],
                targets: [.executableTarget(name: "sample-benchmarks", dependencies: ["Beside"], path: "Sources")]
            )
            """,
            "Package.swift"
        )
        let source = try String(contentsOfFile: own.path("Sources/main.swift"), encoding: .utf8)
        try own.write(
            "import Beside\n" + source.replacingOccurrences(of: "\"1\"", with: "allocations"),
            "Sources/main.swift"
        )
        try await own.git("commit", "-qam", "Depend on Beside")
        try own.write("changed", "notes.txt")
        let output = try await own.run(["--baseline", "main"] + Self.counts(own))
        #expect(output.status == 0, "\(output.output) \(output.errors)")
        #expect(output.errors.contains("../Beside is the present one in both builds"))
    }

    @Test("What git refuses is quoted, and nothing is saved without its revision")
    func refused() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        // git works in folders of other users only if it is told to.
        let foreign = ["GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"]
        let compared = try await sample.run(["--baseline", "main"] + Self.counts(sample), foreign)
        #expect(compared.status == 4 && compared.errors.contains("safe.directory"), "\(compared.errors)")
        let file = sample.path("base.json")
        let saved = try await sample.run(["--save", file] + Self.counts(sample), foreign)
        #expect(saved.status == 4 && saved.errors.contains("safe.directory"), "\(saved.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A shallow clone is named where it hides the revision to compare with")
    func shallow() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let origin = sample.below("origin")
        try FileManager.default.createDirectory(at: origin.folder, withIntermediateDirectories: true)
        try await origin.makeRepository()
        try origin.write("one", "notes.txt")
        try await origin.git("add", "-A")
        try await origin.git("commit", "-qm", "The second")
        try await origin.git("clone", "-q", "--depth", "1", "file://\(origin.folder.path)", sample.path("clone"))
        let clone = sample.below("clone")
        for name in [["--baseline"], ["--baseline", "main"]] {
            let output = try await clone.run(name + Self.counts(clone))
            #expect(output.status == 3, "\(output.output) \(output.errors)")
            #expect(output.output.contains("this clone is shallow: git fetch --unshallow"))
        }
    }
}
