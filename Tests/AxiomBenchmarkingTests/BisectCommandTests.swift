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
        #expect(!first.output.contains("function"), "Counts have no samples.")
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

    @Test(
        "Of an octopus merge each branch is searched, and if none is worse, the merge itself is the step",
        .enabled(
            if: ExternalTool.swiftc.mayRun,
            "swiftc is missing: it comes with Swift, whose folder must be in PATH"
        ),
        .timeLimit(.minutes(10)),
        arguments: [true, false]
    )
    func octopus(isOnBranch: Bool) async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository()
        let source = try String(contentsOfFile: sample.path("Sources/main.swift"), encoding: .utf8)
        let more = source.replacingOccurrences(
            of: "\"SAMPLE_ALLOCATIONS\", \"1\"",
            with: "\"SAMPLE_ALLOCATIONS\", \"2\""
        )
        try await sample.git("tag", "good")
        for (branch, file) in [("one", "one.txt"), ("two", "Sources/main.swift")] {
            try await sample.git("checkout", "-qb", branch, "good")
            try await commit(sample, "The \(branch)", isOnBranch ? more : source + "\n// \(branch)", file)
        }
        try await sample.git("checkout", "-q", "main")
        try await commit(sample, "Meanwhile", "other", "other.txt")
        try await sample.git("merge", "-q", "--no-ff", "-m", "Merge both", "one", "two")
        if !isOnBranch {
            try sample.write(more, "Sources/main.swift")
            try await sample.git("commit", "-qa", "--amend", "--no-edit")
        }
        #expect(try await sample.git("log", "-1", "--format=%P").split(separator: " ").count == 3)
        let output = try await run(sample, "good", "main")
        #expect(output.status == 0, "\(output.output) \(output.errors)")
        let found = output.output.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(found == ["    Merge both"] + (isOnBranch ? ["    The two"] : []), "\(output.output)")
        #expect(output.output.contains("branch 1 of 2 is searched") && output.output.contains("branch 2 of 2 is"))
        let end = "no branch is worse than where it left: the merge itself is"
        #expect(output.output.contains(end) != isOnBranch, "\(output.output)")
    }

    @Test(
        "A time that got worse has its functions named, and the JSON has the probability of each commit and the cost",
        .enabled(
            if: ExternalTool.swiftc.mayRun,
            "swiftc is missing: it comes with Swift, whose folder must be in PATH"
        ),
        .timeLimit(.minutes(10))
    )
    func functions() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository(["SAMPLE_FUNCTIONS": "200"])
        let source = try String(contentsOfFile: sample.path("Sources/main.swift"), encoding: .utf8)
        let slower = source.replacingOccurrences(of: "\"200\"", with: "\"600\"")
        try #require(slower != source)
        for (subject, text) in [("Before", source + "\n//"), ("The step", slower), ("After", slower + "\n//")] {
            try await commit(sample, subject, text, "Sources/main.swift")
        }
        let arguments = [
            "bisect", "main~3", "main", "--package-path", sample.folder.path, "--filter", "functions/tree", "--metrics",
            "wall",
        ]
        let output = try await sample.run(arguments + ["--format", "json"], ["SAMPLE_FUNCTIONS": "1"])
        guard output.status == 0 else {
            // Other programs use the processors.
            #expect(output.status == 3, "\(output.output) \(output.errors)")
            try Test.cancel("the machine is too noisy to judge times: run this test alone")
        }
        let report = try JSONDecoder().decode(DecodedBisection.self, from: Data(output.output.utf8))
        #expect(
            report.schema == "axiom-bench/bisect" && report.benchmark == "functions/tree" && report.metric == "wall"
        )
        let search = try #require(report.searches.first)
        #expect(report.searches.count == 1 && search.verdict == "found" && search.change > 0.2 && report.exit_code == 0)
        #expect(search.commits.map(\.subject) == ["Before", "The step", "After"])
        #expect(search.step == [search.commits[1].hash])
        #expect(abs(search.commits.reduce(-1) { $0 + $1.probability }) < 1e-9)
        #expect(search.commits[1].probability >= 0.99 && search.commits[1].probability == search.probability)
        #expect(search.cost.builds == 4 && search.cost.pairs >= 35 && search.cost.processor_seconds > 0)
        let functions = try #require(search.functions, "\(output.output)")
        let text = try await sample.run(arguments, ["SAMPLE_FUNCTIONS": "1"])
        #expect(text.status == 0 && !text.errors.contains("pairs"), "it was measured before: \(text.errors)")
        #expect(text.output.contains(" samples of each build in ") || text.output.contains("no function is named ("))
        guard !functions.named.isEmpty, !text.output.contains("no function is named (") else {
            #expect(functions.named.isEmpty == (functions.reason != nil), "\(output.output)")
            try Test.cancel("the machine is too noisy to compare functions: run this test alone")
        }
        // Without optimisation its callees are functions of their own.
        let second = functions.named.first { $0.name == "static FunctionTree.second(_:)" }
        #expect(second?.share ?? 0 > 0.2, "\(output.output)")
        let line = text.output.split(separator: "\n").first { $0.hasPrefix("static FunctionTree.second(_:) ") }
        #expect(line != nil, "\(text.output)")
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

/// What the tests read of the report of a bisection.
private struct DecodedBisection: Decodable {
    struct Search: Decodable {
        struct Commit: Decodable {
            let hash: String
            let subject: String
            let probability: Double
        }
        struct Cost: Decodable {
            let builds: Int
            let pairs: Int
            let processor_seconds: Double
        }
        struct Functions: Decodable {
            struct Function: Decodable {
                let name: String
                let share: Double
            }
            let named: [Function]
            let reason: String?
        }
        let verdict: String
        let step: [String]
        let probability: Double
        let change: Double
        let commits: [Commit]
        let cost: Cost
        let functions: Functions?
    }
    let schema: String
    let benchmark: String
    let metric: String
    let exit_code: Int
    let searches: [Search]
}
