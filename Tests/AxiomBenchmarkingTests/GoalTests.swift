// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Goals that are judged", .timeLimit(.minutes(5)))
struct GoalTests {
    private static func run(
        _ filter: String,
        slow: String = "",
        _ options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Command.Output {
        let program = try SampleProgram()
        defer { program.remove() }
        let variables = ["SAMPLE_GOALS": "1", "SAMPLE_SLOW": slow, "SAMPLE_COUNTER": program.path("counter")]
        let arguments = ["--goals", "--suite", "goals", "--filter", "/(\(filter))$"] + options
        return try await program.run(arguments, variables.merging(environment) { $1 })
    }

    private static func judge(_ goal: BenchmarkGoal, _ values: [Double]) throws -> GoalJudge {
        let work = Benchmark.Work.value(.value) { 1 }
        let benchmark = Benchmark(
            id: "a/b",
            suite: "a",
            options: .goal(goal),
            work: work,
            size: nil,
            file: "",
            line: 1
        )
        var judge = try #require(GoalJudge(BenchmarkInfo(benchmark)))
        for value in values { judge.add(value) }
        return judge
    }

    @Test(
        "The least of ten processes decides, and one that meets the goal is enough",
        arguments: [
            ([3], .met, true), ([4, 3], .met, true), ([4], .inconclusive, false), ([], .inconclusive, false),
            ([Double](repeating: 4, count: 9), .inconclusive, false),
            ([Double](repeating: 4, count: 9) + [3], .met, true),
            ([Double](repeating: 4, count: 10), .missed, true), ([.infinity, 3], .met, true),
            ([.nan], .inconclusive, true), ([4, .nan], .inconclusive, true),
        ] as [([Double], GoalJudge.Verdict, Bool)]
    )
    func least(_ values: [Double], _ verdict: GoalJudge.Verdict, _ isDecided: Bool) throws {
        let judge = try Self.judge(.atMost(3), values)
        #expect(judge.verdict == verdict && judge.isDecided == isDecided)
    }

    @Test(
        "A ceiling is judged in the place of the goal, which stays open until it is met",
        arguments: [
            ([196], .open, "open: 196, goal 60, held at 220"), ([220], .open, "open: 220, goal 60, held at 220"),
            ([60], .met, "met: its ceiling of 220 can go"),
            ([221], .inconclusive, "inconclusive: 221 in 1 of 10 processes, goal 60, held at 220"),
            (
                [Double](repeating: 221, count: 10), .missed,
                "MISSED: 221 in the best of 10 processes, goal 60, held at 220"
            ),
        ] as [([Double], GoalJudge.Verdict, String)]
    )
    func ceiling(_ values: [Double], _ verdict: GoalJudge.Verdict, _ words: String) throws {
        let judge = try Self.judge(.atMost(60).held(at: 200, margin: 0.1), values)
        #expect(judge.verdict == verdict)
        #expect(judge.words == words)
    }

    @Test("Exits 0 when all goals are met, and prints each, and what is open or gives no number")
    func met() async throws {
        let output = try await Self.run(".*")
        #expect(output.status == 0, "\(output.output) \(output.errors)")
        #expect(output.output.contains(": 7 met, 1 open, 0 missed, 1 inconclusive, 0 crashed"), "\(output.output)")
        #expect(output.output.contains("judged 8 of 10 goals"))
        for row in [
            "goals/ratio +at most 2 × goals/floor +[0-9.]+ +met",
            "goals/held +.* 196 +open: 196, goal 60, held at 220",
            "goals/repetitions +.* 20 +met", "goals/nothing +.*inconclusive: gave no number",
            "goals/unmeasured +.*n/a: no display",
        ] {
            #expect(output.output.contains(try Regex(row)), "\(row): \(output.output)")
        }
    }

    @Test(
        "Exits 1 when a benchmark of each kind is slow in every process, and names it alone",
        arguments: ["ratio", "beyond", "count", "time", "bytes", "held"]
    )
    func missed(_ name: String) async throws {
        let output = try await Self.run("ratio|beyond|count|time|bytes|held", slow: name)
        // What is measured without "ratio" becomes shorter if that is slow, and stays met.
        #expect(output.status == 1, "\(output.output) \(output.errors)")
        let missed = output.output.split(separator: "\n").filter { $0.contains("MISSED") }
        #expect(missed.count == 1 && missed[0].hasPrefix("goals/\(name) "), "\(output.output)")
        #expect(missed.allSatisfy { $0.contains("in the best of 10 processes") })
        #expect(output.output.contains(", 1 missed, 0 inconclusive"))
    }

    @Test("A goal that one of ten processes meets is met")
    func late() async throws {
        let output = try await Self.run("late", slow: "late")
        #expect(output.status == 0 && output.output.contains("1 met"), "\(output.output)")
    }

    @Test("Says that a ceiling can go when the goal is met")
    func ratchet() async throws {
        let output = try await Self.run("held", environment: ["SAMPLE_HELD": "60"])
        #expect(output.status == 0 && output.output.contains("met: its ceiling of 220 can go"), "\(output.output)")
    }

    @Test("Exits 3 when nothing was judged, and 0 when something was and the rest is inconclusive, but for --strict")
    func inconclusive() async throws {
        for (filter, options) in [
            ("nothing", []), ("unmeasured", []), ("floor", []), ("held", ["--budget", "0.001ms"]),
        ] {
            let output = try await Self.run(filter, options)
            #expect(output.status == 3, "\(filter): \(output.output)")
            #expect(output.output.contains("judged 0 of"))
        }
        let late = try await Self.run("held", ["--budget", "0.001ms"])
        #expect(late.output.contains("inconclusive: not measured before the budget ended"), "\(late.output)")
        #expect(late.output.contains("1 inconclusive"))
        #expect(try await Self.run("held|nothing").status == 0)
        #expect(try await Self.run("held|nothing", ["--strict"]).status == 3)
    }

    @Test("Exits 5 when a benchmark crashes, also if another one misses its goal")
    func crash() async throws {
        let output = try await Self.run("count|nothing", slow: "crash")
        #expect(output.status == 5, "\(output.output)")
        #expect(output.output.contains("crashed: the process of goals/nothing exited with 9"), "\(output.output)")
        #expect(output.output.contains("1 met") && output.output.contains("1 crashed"))
    }

    @Test("Exits 2 when a goal refers to a benchmark that there is not, before anything is measured")
    func unknown() async throws {
        let output = try await Self.run("unknown", slow: "unknown")
        #expect(output.status == 2 && output.output.isEmpty)
        #expect(output.errors.contains("goals/unknown refers to goals/none"), "\(output.errors)")
    }

    @Test("Every format has the verdicts", arguments: ReportFormat.allCases)
    func formats(_ format: ReportFormat) async throws {
        let output = try await Self.run("count|held|nothing", slow: "count", ["--format", format.rawValue])
        #expect(output.status == 1, "\(output.errors)")
        let words: [ReportFormat: [String]] = [
            .text: ["MISSED: 1 in the best of 10 processes, goal 0", "open: 196", "exit code 1"],
            .json: ["\"mode\" : \"goals\"", "\"verdict\" : \"open\"", "\"held\" : 220", "\"exit_code\" : 1"],
            .junit: [
                "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"",
                "<failure message=\"missed (MISSED: 1 in the best of 10 processes, goal 0)\"/>",
            ],
            .markdown: ["| `goals/held` | a value &lt; 60 | 196 | open: 196, goal 60, held at 220 |", "1 missed"],
            .html: ["class=\"missed\">missed: MISSED: 1 in the best of 10", "judged 2 of 3 goals"],
            .csv: ["goals/count,goal,1/call,info,9,1.0,missed", "goals/held,goal,x,info,0,196.0,ok"],
            .prometheus: ["axiom_bench_median{benchmark=\"goals/held\",metric=\"goal\",unit=\"x\"} 196", "_code 1"],
            .github: ["::error file=", "goals/count goal: missed (MISSED: 1 in the best of 10 processes, goal 0)"],
            .codequality: ["\"severity\" : \"major\"", "\"fingerprint\" : \"axiom-bench/goals/count/goal\""],
        ]
        for words in try #require(words[format]) { #expect(output.output.contains(words), "\(output.output)") }
    }
}
