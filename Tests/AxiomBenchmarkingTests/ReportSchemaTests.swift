// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The published schemas of the reports")
struct ReportSchemaTests {
    /// Prints the places of what is wrong by the schema, in which no member may stand that the schema does not list.
    private static let script = """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        def close(node):
            if isinstance(node, dict):
                if "properties" in node:
                    node["additionalProperties"] = False
                for child in node.values():
                    close(child)
        close(schema)
        problems = jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin))
        print([p.json_path + ": " + p.message for p in problems])
        """

    private static func problems(_ report: String, _ name: String = "report") async throws -> String {
        let path = "Documentation/schemas/axiom-bench-\(name)-1.schema.json"
        let arguments = ["-c", script, Repository.root.appending(path: path).path]
        let output = try await ExternalTool.schemaPython.run(arguments, input: Data(report.utf8))
        #expect(output.status == 0, "\(output.errors)")
        return output.output
    }

    @Test(
        "The report of each kind of run is valid, and has only listed members",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func valid() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let file = sample.path("base.json")
        let quick = ["--suite", "strings", "--filter", "allocate|answer", "--metrics", "allocations,value,wall"]
        #expect(try await sample.run(quick + ["--save", file]).status == 0)
        let json = ["--format", "json"]
        let runs: [(arguments: [String], environment: [String: String], status: Int32)] = [
            (quick, [:], 0),
            (quick + ["--baseline", file, "--lenient"], ["SAMPLE_ALLOCATIONS": "2"], 1),
            (["compare", file, file], [:], 0),
            (["--cmd", "true", "--cmd", "true", "--lenient"], [:], 0),
            (["--suite", "odd", "--metrics", "allocations,value"], ["SAMPLE_CRASH": "1"], 5),
            (["baseline", "show", file], [:], 0),
            (
                ["--goals", "--suite", "goals", "--filter", "count|held|nothing|unmeasured"],
                ["SAMPLE_GOALS": "1", "SAMPLE_SLOW": "count"], 1
            ),
        ]
        for run in runs {
            let output = try await sample.run(run.arguments + json, run.environment)
            #expect(output.status == run.status, "\(run.arguments): \(output.errors)")
            #expect(try await Self.problems(output.output) == "[]\n", "\(run.arguments)")
        }
    }

    @Test(
        "A report with functions is valid",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func functions() async throws {
        var builder = ReportBuilder([], RunSettings(), mode: "revision")
        var worse = ComparisonFinding("a", .wall, .regressed)
        var functions = ChangedFunctions()
        functions.named = [.init(name: "f", change: 1, share: 1, low: 0.5, high: 1.5, confidence: 0.99)]
        functions.moved = [["g", "h"]]
        worse.functions = functions
        builder.add([worse])
        worse.functions = ChangedFunctions(reason: "it waits")
        builder.add([worse])
        #expect(try await Self.problems(ReportFormat.json.render(builder.finish(seconds: 1))) == "[]\n")
    }

    @Test(
        "The report of a bisection is valid, whatever it says, and one with a wrong member is not",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func bisection() async throws {
        let hash = String(repeating: "1a", count: 20)
        let commits = [nil, 0, 1].map {
            BisectionReport.Search.Commit(hash: hash, subject: "S", probability: $0, isLeftOut: $0 == 0)
        }
        var named = ChangedFunctions()
        named.named = [.init(name: "f", change: 1, share: 1, low: 0.5, high: 1.5, confidence: 0.99)]
        var report = BisectionReport(benchmark: "a/b", metric: "wall")
        report.searches = [
            ("found", nil, named), ("among", nil, ChangedFunctions(reason: "it waits")), ("refused", nil, nil),
            ("inconclusive", "it varies", nil),
        ].map { verdict, reason, functions in
            let step = verdict == "found" || verdict == "among" ? [hash] : []
            return BisectionReport.Search(
                verdict: verdict,
                reason: reason,
                step: step,
                probability: step.isEmpty ? nil : 0.99,
                change: 0.1,
                low: 0,
                high: 0.2,
                good: hash,
                commits: commits,
                cost: BisectionCost(),
                functions: functions
            )
        }
        let text = ReportFormat.json(report)
        #expect(try await Self.problems(text, "bisect") == "[]\n")
        let wrong = text.replacing("\"found\"", with: "\"lost\"").replacing("\"subject\"", with: "\"title\"")
        let problems = try await Self.problems(wrong, "bisect")
        for words in ["'lost' is not one of", "'subject' is a required property", "'title' was unexpected"] {
            #expect(problems.contains(words), "\(problems)")
        }
    }

    @Test(
        "A report with a wrong or an unknown member is not valid",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func invalid() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["--filter", "answer", "--metrics", "value", "--format", "json"])
        let wrong = output.output
            .replacingOccurrences(of: "\"seconds\" :", with: "\"time\" :")
            .replacingOccurrences(of: "\"kind\" : \"exact\"", with: "\"kind\" : 1")
        let problems = try await Self.problems(wrong)
        for words in ["'seconds' is a required property", "'time' was unexpected", ".metrics.value.kind"] {
            #expect(problems.contains(words), "\(problems)")
        }
    }
}
