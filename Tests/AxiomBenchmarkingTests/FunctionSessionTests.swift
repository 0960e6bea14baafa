// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Sampling two builds", .timeLimit(.minutes(10)))
struct FunctionSessionTests {
    private static func runner(_ old: Int, _ new: Int) throws -> PairRunner {
        let program = MeasuredProgram(path: try SampleProgram.executable)
        var (before, after) = (program, program)
        before.environment = ["SAMPLE_FUNCTIONS": "\(old)"]
        after.environment = ["SAMPLE_FUNCTIONS": "\(new)"]
        return PairRunner(baseline: before, current: after)
    }

    private static var benchmark: BenchmarkInfo {
        BenchmarkInfo(BenchmarkSuite("functions") { $0.add("tree") { _ in } }.benchmarks[0])
    }

    @Test("The function of a real program that became slower is named, and with it nothing else")
    func slower() throws {
        let runner = try Self.runner(200, 400)
        let plan = try SamplingPlan(runner.baseline, Self.benchmark, processor: nil)
        let session = FunctionSession(runner: runner, benchmark: Self.benchmark, plan: plan, alpha: 0.01)
        var random = SeededGenerator(seed: 1)
        var processors: [Int] = []
        let result = try session.changed(&random) { number in
            processors.append(number)
            return ProcessFacts.processors.first
        }
        let names = result.named.map(\.name)
        if ProcessInfo.processInfo.environment["AXIOM_MEASURE"] != nil {
            #expect(names == ["static FunctionTree.second(_:)"], "\(result.words) \(result.named)")
        }
        // Other tests use the processors: then it may be that nothing is named.
        #expect(names.contains("static FunctionTree.second(_:)") || result.reason != nil, "\(result.words) \(names)")
        #expect(result.rounds == processors.count && processors == Array(0..<result.rounds))
        #expect(result.samples >= 2_000, "\(result.words)")
        #expect(result.tree.new > result.tree.old && !result.tree.children.isEmpty)
    }

    #if os(Linux) && canImport(Glibc)
    @Test(
        "A function of the harness or of Swift counts as one of a library, and one of the same name in a program does not",
        arguments: [
            ("$s17AxiomBenchmarking6opaqueyxxnRi_zlF", "opaque(_:) [AxiomBenchmarking]"),
            ("axiom_sampler_start", "axiom_sampler_start [AxiomBenchmarking]"),
            ("$s17AxiomBenchmarking6opaqueyxxnRi_zlFs6UInt64V_Tg5", "opaque(_:) [AxiomBenchmarking]"),
            ("$s17AxiomBenchmarking9blackHoleyyxRi_zlFySPyxGXEfU_", "closure in blackHole(_:) [AxiomBenchmarking]"),
            (
                "$ss24withUnsafeMutablePointer2to_q0_xz_q0_SpyxGq_YKXEtq_YKs5ErrorR_Ri_zRi_0_r1_lF",
                "withUnsafeMutablePointer(to:_:) [Swift]"
            ),
            ("$s4Main6opaqueyxxnRi_zlF", "opaque(_:)"), ("$ss5SliceV4MainE6opaqueyyF", "Slice.opaque()"),
            ("opaque", "opaque"), ("$ss", "$ss"),
        ]
    )
    func harness(symbol: String, name: String) {
        #expect(StackCosts.stableName(StackSampler.name(symbol)) == name)
        #expect(StackCosts.isOfLibrary(name) == name.hasSuffix("]"))
    }
    #endif

    @Test("A program of an earlier version does not know the request, and the budget can end before the first look")
    func refused() throws {
        let script =
            "echo '\(WorkerCommand.greeting)' >&3; read line; echo \"error the worker does not know it\" >&3; sleep 9"
        let worker = try WorkerProcess(["/bin/sh", "-c", script], id: "a/b")
        let request = WorkerCommand.profile(milliseconds: 1, iterations: 1, path: "/nowhere")
        let error = #expect(throws: BenchmarkError.self) { try worker.ask(request) }
        #expect(error?.message.contains("does not know") == true, "\(String(describing: error))")

        let runner = try Self.runner(1, 1)
        let plan = try SamplingPlan(runner.baseline, Self.benchmark, processor: nil)
        let session = FunctionSession(runner: runner, benchmark: Self.benchmark, plan: plan, alpha: 0.01)
        var random = SeededGenerator(seed: 1)
        #expect(throws: BenchmarkError.self) {
            try session.changed(&random) { _ in throw BenchmarkError(.usage, "the budget ended") }
        }
    }

    @Test("A request to sample is read as it is written, with blanks in the path")
    func request() {
        let command = WorkerCommand.profile(milliseconds: 150, iterations: 12, path: "/tmp/a b/c  d")
        #expect(WorkerCommand(command.line) == command)
        for line in ["profile", "profile 1", "profile 1 2", "profile 1 x /a", "profile x 2 /a"] {
            #expect(WorkerCommand(line) == nil, "\(line)")
        }
    }

    @Test("The score plants what it says, and exits by how often it was named")
    func score() async throws {
        let program = try BuildFolder().url.appending(path: "functions-score").path
        let output = try await Command.run(program, ["slow", "--runs", "1", "--verbose"])
        let named = try #require(output.output.firstMatch(of: /named first: ([01]) of 1,/)?.1, "\(output.errors)")
        #expect(output.status == (named == "1" ? 0 : 1), "\(output.output)")
        #expect(output.output.contains(/seed 1: planted_node_\d+ slower/), "\(output.output)")
        #expect(try await Command.run(program, ["slow", "--runs", "0"]).status == 64)
    }

    @Test(
        "The gate names the function of a regression",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
    )
    func gate() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await sample.makeRepository(["SAMPLE_FUNCTIONS": "200"])
        try sample.write("changed", "Sources/Other.txt")
        let arguments = [
            "--package-path", sample.folder.path, "--suite", "functions", "--baseline", "HEAD", "--metrics", "wall,cpu",
            "--as-built", "--format", "json",
        ]
        let output = try await sample.run(arguments, ["SAMPLE_FUNCTIONS": "600"])
        let report = try JSONSerialization.jsonObject(with: Data(output.output.utf8)) as? [String: Any]
        let findings = try #require(report?["findings"] as? [[String: Any]], "\(output.output) \(output.errors)")
        guard output.status == 1 else {
            // Other programs use the processors.
            #expect(output.status == 3, "\(output.output) \(output.errors)")
            try Test.cancel("the machine is too noisy to judge times: run this test alone")
        }
        let functions = findings.compactMap { $0["functions"] as? [String: Any] }
        #expect(functions.count == 1, "\(output.output)")
        let named = functions.first?["named"] as? [[String: Any]]
        let names = named?.compactMap { $0["name"] as? String } ?? []
        let isNamed = names.contains("static FunctionTree.second(_:)")
        #expect(isNamed || functions.first?["reason"] != nil, "\(output.output)")
    }
}
