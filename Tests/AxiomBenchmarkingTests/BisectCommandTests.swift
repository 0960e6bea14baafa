// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Bisecting revisions")
struct BisectCommandTests {
    /// A history in which a branch adds an allocation, and one commit cannot be built.
    private func makeHistory(_ sample: SampleProgram) async throws {
        try await sample.makeRepository()
        let source = try String(contentsOfFile: sample.path("Sources/main.swift"), encoding: .utf8)
        let more = source.replacingOccurrences(
            of: "\"SAMPLE_ALLOCATIONS\", \"1\"",
            with: "\"SAMPLE_ALLOCATIONS\", \"2\""
        )
        try #require(more != source)
        try await sample.git("tag", "good")
        try await commit(sample, "Documentation", "words", "README.md")
        try await commit(sample, "Broken", source + "\nlet nothing: Nothing", "Sources/main.swift")
        try await commit(sample, "Mended", source, "Sources/main.swift")
        try await sample.git("checkout", "-qb", "topic")
        try await commit(sample, "Prepare", source + "\n// prepared", "Sources/main.swift")
        try await commit(sample, "The step", more, "Sources/main.swift")
        try await sample.git("checkout", "-q", "main")
        try await commit(sample, "Meanwhile", "other", "other.txt")
        try await sample.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
        try await commit(sample, "After", "more", "other.txt")
    }

    private func commit(_ sample: SampleProgram, _ subject: String, _ text: String, _ file: String) async throws {
        try sample.write(text, file)
        try await sample.git("add", "-A")
        try await sample.git("commit", "-qm", subject)
    }

    private func run(_ sample: SampleProgram, _ arguments: String...) async throws -> Command.Output {
        let selection = ["--package-path", sample.folder.path, "--filter", "strings/allocate"]
        return try await sample.run(["bisect"] + arguments + selection + ["--metrics", "allocations"])
    }

    @Test(
        "Names the merge and the commit of its branch, goes on from what was kept, and refuses where nothing got worse",
        .enabled(
            if: ExternalTool.swiftc.mayRun,
            "swiftc is missing: it comes with Swift, whose folder must be in PATH"
        ),
        .timeLimit(.minutes(10))
    )
    func real() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await makeHistory(sample)
        let first = try await run(sample, "good", "main")
        #expect(first.status == 0, "\(first.output) \(first.errors)")
        let found = first.output.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(found == ["    Merge the topic", "    The step"], "\(first.output)")
        #expect(first.output.contains("strings/allocate allocations got worse: 1 before, 2 at it"), "\(first.output)")
        #expect(first.output.contains("cost: ") && first.output.contains("of processor time"))
        #expect(first.errors.contains("nothing but documentation and tests: 1"), "\(first.errors)")
        let again = try await run(sample, "good", "main")
        #expect(again.status == 0 && again.output.contains("    The step"), "\(again.output) \(again.errors)")
        #expect(!again.errors.contains("building "), "\(again.errors)")
        let refused = try await run(sample, "good", "main~2")
        #expect(refused.status == 1 && refused.output.contains("refused: "), "\(refused.output) \(refused.errors)")
        try await damaged(sample)
        let broken = try await run(sample, "good", "main~4")
        #expect(broken.status == 5 && broken.errors.contains("Nothing"), "\(broken.output) \(broken.errors)")
    }

    /// A damaged file is named, and `--restart` replaces it.
    private func damaged(_ sample: SampleProgram) async throws {
        let folder = sample.path(".build/axiom-bench")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("bisect-") }
        #expect(names.count == 3, "\(names)")
        for name in names {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            try sample.write(text.replacingOccurrences(of: "0.", with: "1."), ".build/axiom-bench/\(name)")
        }
        let output = try await run(sample, "good", "main")
        #expect(output.status == 4 && output.errors.contains("--restart"), "\(output.errors)")
        #expect(names.contains { output.errors.contains("\(folder)/\($0)") })
        let restarted = try await run(sample, "good", "main", "--restart")
        #expect(restarted.status == 0 && !restarted.errors.contains("building "), "\(restarted.errors)")
    }

    @Test("Wrong use is named before anything is built: revisions, benchmarks, metrics")
    func wrongUse() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        try await commit(sample, "Documentation", "words", "README.md")
        let unknown = try await run(sample, "no-such-revision", "main")
        #expect(unknown.status == 4 && unknown.errors.contains("no-such-revision"), "\(unknown.errors)")
        for pair in [("main", "main~1"), ("main~1", "main"), ("main", "main")] {
            let output = try await run(sample, pair.0, pair.1)
            #expect(output.status == 2 && output.errors.contains("no commit from \(pair.0) to \(pair.1)"))
        }
        let base = ["bisect", "main~1", "main", "--package-path", sample.folder.path]
        let several = try await sample.run(base + ["--filter", "strings"])
        #expect(several.status == 2 && several.errors.contains("strings/allocate, strings/twice"), "\(several.errors)")
        let metrics = try await sample.run(base + ["--filter", "allocate", "--metrics", "wall,cpu"])
        #expect(metrics.status == 2 && metrics.errors.contains("one metric"), "\(metrics.errors)")
        let nothing = try await sample.run(["bisect", "main"])
        #expect(nothing.status == 2)
        #expect(!FileManager.default.fileExists(atPath: sample.path(".build")))
    }

    @Test("A benchmark that had another name is measured by its former name, which is offered")
    func renamed() throws {
        let suite = BenchmarkSuite("strings") { suite in
            suite.add("now") { _ in }
            suite.add("other") { _ in }
            suite.addValue("size", unit: "bytes", kind: .exact) { 1 }
        }
        let old = BenchmarkSuite("strings") { suite in
            suite.add("allocate") { _ in }
            suite.add("other") { _ in }
        }
        let (new, before) = (suite.benchmarks.map(BenchmarkInfo.init), old.benchmarks.map(BenchmarkInfo.init))
        let plain = try BisectCommand.parse(["a", "b", "--filter", "strings/now"])
        let error = #expect(throws: BenchmarkError.self) { try plain.formerName(new[0], old: before, new: new) }
        #expect(error?.message.contains("--renamed strings/allocate=strings/now") == true)
        #expect(try plain.formerName(new[1], old: before, new: new) == nil)
        let named = try BisectCommand.parse(["a", "b", "--renamed", "strings/allocate=strings/now"])
        #expect(try named.formerName(new[0], old: before, new: new) == "strings/allocate")
        #expect(throws: BenchmarkError.self) { try named.formerName(new[1], old: before, new: new) }
        #expect(try plain.metric(new[0]) == .wall)
        #expect(try plain.metric(new[2]).kind == .exact)
        let value = try BisectCommand.parse(["a", "b", "--metrics", "value"])
        #expect(throws: BenchmarkError.self) { try value.metric(new[0]) }
        var program = MeasuredProgram(path: try SampleProgram.executable)
        program.renamed = ["strings/now": "strings/allocate"]
        let counter = CountRunner(counters: Counters(), metrics: [.allocations])
        #expect(try counter.counts(program, new[0])[.allocations]?.min() == 1)
    }

    @Test("A session measures pairs of one metric without a control")
    func pairs() throws {
        let program = MeasuredProgram(path: try SampleProgram.executable)
        let benchmark = try #require(try program.list().first { $0.id == "strings/allocate" })
        var settings = RunSettings()
        settings.measuresControls = false
        let session = try DuetSession(
            baseline: program,
            current: program,
            benchmarks: [benchmark],
            settings: settings,
            progress: Progress()
        )
        let logRatios = try session.logRatios(.wall, pairs: 3)
        #expect(logRatios.count == 3 && logRatios.allSatisfy { abs($0) < 1 })
        #expect(session.nullControls.isEmpty)
        settings.budget = 1e-9
        let over = try DuetSession(
            baseline: program,
            current: program,
            benchmarks: [benchmark],
            settings: settings,
            progress: Progress()
        )
        #expect(try over.logRatios(.wall, pairs: 3).isEmpty)
    }
}
