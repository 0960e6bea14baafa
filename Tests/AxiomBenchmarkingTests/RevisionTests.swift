// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing with a revision")
struct RevisionTests {
    @Test(
        "Builds it in a worktree, once, and exits 1 with the benchmark and the metric that got worse",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
    )
    func planted() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
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
        try await sample.makeRepository()
        let source = sample.path("Sources/main.swift")
        try "let nothing: Nothing".write(toFile: source, atomically: true, encoding: .utf8)
        try await sample.git("commit", "-qam", "Broken")
        let output = try await sample.run(["--baseline", "HEAD", "--package-path", sample.folder.path])
        #expect(output.status == 5)
        #expect(output.errors.contains("Nothing"), "\(output.errors)")
    }
}
