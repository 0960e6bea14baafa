// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing with a revision")
struct RevisionTests {
    /// A package under version control whose benchmarks are the sample's, with one allocation for each iteration.
    private func makeRepository(_ sample: SampleProgram) async throws {
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(name: "Small", targets: [.executableTarget(name: "sample-benchmarks", path: "Sources")])
            """
        let program = """
            import Glibc
            setenv("SAMPLE_ALLOCATIONS", "1", 1)
            let path = "\(try SampleProgram.executable)"
            var arguments = ([path] + CommandLine.arguments.dropFirst()).map { strdup($0) } + [nil]
            execv(path, &arguments)
            """
        try FileManager.default.createDirectory(atPath: sample.path("Sources"), withIntermediateDirectories: true)
        try manifest.write(toFile: sample.path("Package.swift"), atomically: true, encoding: .utf8)
        try program.write(toFile: sample.path("Sources/main.swift"), atomically: true, encoding: .utf8)
        try ".build\n".write(toFile: sample.path(".gitignore"), atomically: true, encoding: .utf8)
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        for arguments in [["init", "-q", "-b", "main"], ["add", "-A"], identity + ["commit", "-qm", "The first"]] {
            let output = try await Command.run("/usr/bin/env", ["git", "-C", sample.folder.path] + arguments)
            #expect(output.status == 0, "\(output.errors)")
        }
    }

    @Test(
        "Builds it in a worktree, once, and exits 1 with the benchmark and the metric that got worse",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
    )
    func planted() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await makeRepository(sample)
        let counts = ["--package-path", sample.folder.path, "--filter", "allocate", "--metrics", "allocations"]
        let worse = try await sample.run(["--baseline", "main"] + counts, ["SAMPLE_ALLOCATIONS": "2"])
        #expect(worse.status == 1, "\(worse.output) \(worse.errors)")
        let line = try #require(worse.output.split(separator: "\n").first { $0.contains("regression") })
        #expect(line.contains("strings/allocate") && line.contains("allocations"))
        // Without a value it is where this branch left main. The program was kept, and nothing is compiled.
        let same = try await sample.run(["--baseline"] + counts)
        #expect(same.status == 0, "\(same.output) \(same.errors)")
        #expect(same.output.contains("merge base"))
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
        try await makeRepository(sample)
        let source = sample.path("Sources/main.swift")
        try "let nothing: Nothing".write(toFile: source, atomically: true, encoding: .utf8)
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        let commit = ["git", "-C", sample.folder.path] + identity + ["commit", "-qam", "Broken"]
        #expect(try await Command.run("/usr/bin/env", commit).status == 0)
        let output = try await sample.run(["--baseline", "HEAD", "--package-path", sample.folder.path])
        #expect(output.status == 5)
        #expect(output.errors.contains("Nothing"), "\(output.errors)")
    }
}
