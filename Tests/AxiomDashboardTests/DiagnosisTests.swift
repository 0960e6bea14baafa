// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The diagnosis", .timeLimit(.minutes(10)))
struct DiagnosisTests {
    /// Rows of a snapshot, by their list.
    private typealias Rows = [String: [[String: Any]]]

    private static func snapshot(_ rows: Rows, at time: Double = 1_700_000_100) throws -> [UInt8] {
        var object: [String: Any] = ["schema": "axiom/snapshot", "version": 1, "capturedAt": time]
        object["app"] = ["name": "Trips"]
        object["components"] = [[String: Any]]()
        return Array(try JSONSerialization.data(withJSONObject: object.merging(rows) { $1 }))
    }

    private static func problem(
        _ id: Int,
        _ text: String,
        _ kind: String = "bad",
        panel: String = "components",
        component: Int? = nil,
        cause: Int? = nil
    ) -> [String: Any] {
        var row: [String: Any] = ["id": id, "kind": kind, "panel": panel, "text": text, "since": 1_700_000_000 + id]
        (row["component"], row["cause"]) = (component, cause)
        return row
    }

    private static func component(_ id: Int, _ kind: String, _ name: String) -> [String: Any] {
        ["id": id, "kind": kind, "name": name, "p50": 0.004]
    }

    private static func edge(_ from: Int, _ to: Int, rate: Double = 1, errors: Double = 0.5) -> [String: Any] {
        ["from": from, "to": to, "rate": rate, "errorRatio": errors]
    }

    /// An outage of Vault, as the page shows it.
    private static var outage: Rows {
        [
            "components": [
                component(0, "context", "TripContext"), component(1, "client", "TripClient"),
                component(2, "capability", "Gateway"), component(3, "capability", "Vault"),
                component(4, "context", "HomeContext"),
            ],
            "edges": [edge(0, 1), edge(1, 2), edge(2, 3), edge(4, 1, errors: 0), edge(1, 3, rate: 0)],
            "problems": [
                problem(5, "TripClient: TRIPS_FAILED ← KEY (Vault), 6 errors", panel: "errors", component: 1, cause: 7),
                problem(7, "Vault fails: KEY, 1 of 1 client fails", component: 3),
                problem(8, "Map's state_memory is 3 MB", "note", panel: "budgets"),
                problem(9, "Circuit Old was open").merging(["ended": 1_700_000_050]) { $1 },
            ],
            "errors": [
                [
                    "id": 3, "component": 1, "code": "TRIPS_FAILED", "chain": "TRIPS_FAILED ← KEY (Vault)", "count": 6,
                    "last": 1_700_000_090.5,
                ]
            ],
            "occurrences": [
                ["error": 3, "at": 1_700_000_080, "trace": "aa"], ["error": 3, "at": 1_700_000_090, "trace": "bb"],
                ["error": 4, "at": 1_700_000_095, "trace": "cc"],
            ],
        ]
    }

    @Test(
        "It names the cause, since when, what follows, the way to it by failing calls, the evidence and the next click"
    )
    func content() throws {
        let diagnosis = try Diagnosis(Self.snapshot(Self.outage), from: "test")
        #expect(diagnosis.verdict == .problems && diagnosis.problems == 1 && diagnosis.observations == 1)
        let cause = try #require(diagnosis.causes.first)
        #expect(cause.says == "Vault fails: KEY, 1 of 1 client fails" && cause.isHarmful && cause.component == "Vault")
        #expect(cause.since == 1_700_000_007)
        #expect(cause.effects == ["TripClient: TRIPS_FAILED ← KEY (Vault), 6 errors"])
        #expect(cause.path == ["TripContext", "TripClient", "Gateway", "Vault"])
        #expect(cause.evidence == "TripClient: TRIPS_FAILED ← KEY (Vault) 6 times, the last at 22:14:50 UTC")
        #expect(cause.next == "#trace=bb")
        let text = diagnosis.markdown(address: "http://127.0.0.1:9464/")
        #expect(
            text == """
                # Trips: 1 problem

                Observed 2023-11-14T22:15:00Z.

                1. **Vault fails: KEY, 1 of 1 client fails**
                   - since 22:13:27 UTC, for 1.55 min
                   - path: TripContext → TripClient → Gateway → Vault
                   - effect: TripClient: TRIPS_FAILED ← KEY (Vault), 6 errors
                   - evidence: TripClient: TRIPS_FAILED ← KEY (Vault) 6 times, the last at 22:14:50 UTC
                   - next: http://127.0.0.1:9464/#trace=bb

                Observations, which are no problems:
                - Map's state_memory is 3 MB

                """
        )
    }

    @Test("Calls that did not fail, or were not made, are no way to a failure; without calls there is none")
    func path() throws {
        var rows = Self.outage
        rows["edges"] = [Self.edge(0, 1), Self.edge(1, 2, errors: 0), Self.edge(2, 3)]
        #expect(try Diagnosis(Self.snapshot(rows), from: "test").causes[0].path == ["Gateway", "Vault"])
        rows["edges"] = nil
        #expect(try Diagnosis(Self.snapshot(rows), from: "test").causes[0].path == [])
        // A cycle ends.
        rows["edges"] = [Self.edge(1, 3), Self.edge(3, 1), Self.edge(3, 3)]
        #expect(try Diagnosis(Self.snapshot(rows), from: "test").causes[0].path == ["TripClient", "Vault"])
    }

    @Test("A healthy application, and one with observations alone, has no problem")
    func verdicts() throws {
        let healthy = try Diagnosis(Self.snapshot([:]), from: "test")
        #expect(healthy.verdict == .healthy && healthy.markdown().hasPrefix("# Trips: no problems\n"))
        let observed = try Diagnosis(Self.snapshot(["problems": [Self.problem(1, "A", "note")]]), from: "test")
        #expect(
            observed.verdict == .observations && observed.markdown().hasPrefix("# Trips: no failures, 1 observation\n")
        )
    }

    @Test(
        "Whatever is wrong, both faces have at most 2 kB, begin with the worst, and count the rest",
        arguments: 0..<40
    )
    func limit(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let letters = ["a", "\"", "\\", "\u{1}", "é", "漢", "👩‍👩‍👧", " ", "\n"]
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in letters.randomElement(using: &random)! }.joined()
        }
        let names = (0..<12).map { Self.component($0, "capability", text(60)) }
        let problems = (0..<Int.random(in: 1...90, using: &random)).map { id in
            let kind = ["bad", "warn", "note"].randomElement(using: &random)!
            let cause = id > 3 && Bool.random(using: &random) ? Int.random(in: 0..<id, using: &random) : nil
            return Self.problem(id, text(300), kind, component: Int.random(in: 0..<14, using: &random), cause: cause)
        }
        let edges = (0..<30).map { _ in
            Self.edge(Int.random(in: 0..<12, using: &random), Int.random(in: 0..<12, using: &random))
        }
        let rows: Rows = ["components": names, "problems": problems, "edges": edges]
        let diagnosis = try Diagnosis(Self.snapshot(rows), from: "test")
        #expect(diagnosis.json.count <= Diagnosis.limit, "seed \(seed), run \(run)")
        #expect(diagnosis.markdown().utf8.count <= Diagnosis.limit, "seed \(seed), run \(run)")
        let roots = problems.filter { $0["cause"] == nil }
        let wrong = roots.filter { $0["kind"] as? String != "note" }
        #expect(diagnosis.problems == wrong.count && diagnosis.observations == roots.count - wrong.count)
        #expect(diagnosis.causes.isEmpty == wrong.isEmpty, "seed \(seed), run \(run)")
        #expect(diagnosis.causes.first?.isHarmful ?? true || wrong.allSatisfy { $0["kind"] as? String == "warn" })
    }

    @Test("The diagnosis of a running application is that of its exported page")
    func exported() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<6 { await workshop.work(0, .broken) }
        workshop.tick()
        let live = try #require(workshop.dashboard.diagnosis())
        #expect(live == (try Diagnosis(workshop.dashboard.exportedPage(), from: "page.html")))
        #expect(live.causes.map(\.says) == ["Saw: Broken, 6 errors in 5 minutes"])
        #expect(live.causes[0].evidence?.hasPrefix("Saw: Broken 6 times, the last at ") == true)
        for _ in 0..<400 { workshop.tick() }
        #expect(try #require(workshop.dashboard.diagnosis()).verdict == .healthy)
    }

    private static let python = ExternalTool.schemaPython

    @Test(
        "Its JSON fits the schema, which permits no number for a sentence",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation))
    )
    func schema() async throws {
        let script = """
            import json, sys, jsonschema
            check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
            data = json.load(sys.stdin)
            for error in check.iter_errors(data): print(error.message)
            known = check.schema["properties"]["causes"]["items"]["properties"].keys()
            print(sorted(key for cause in data["causes"] for key in cause if key not in known))
            data["causes"][0]["says"] = 1
            print(len(list(check.iter_errors(data))))
            """
        let schema = Repository.root.appending(path: "Documentation/schemas/diagnosis-1.schema.json").path
        let input = Data(try Diagnosis(Self.snapshot(Self.outage), from: "test").json)
        let output = try await Self.python.run(["-c", script, schema], input: input)
        #expect(output.output + output.errors == "[]\n1\n")
    }

    @Test("Numbers out of all ranges are read, and rows that are none are named")
    func input() throws {
        var row = Self.problem(1, "A")
        for since in [-1e300, 1e300, -5, 1e13] {
            row["since"] = since
            let diagnosis = try Diagnosis(Self.snapshot(["problems": [row]], at: 1e300), from: "test")
            #expect(diagnosis.causes.count == 1 && diagnosis.markdown().contains("an unknown time"))
        }
        let broken = try Self.snapshot(["problems": [["id": "x"]]])
        #expect(throws: DashboardFileError.self) { try Diagnosis(broken, from: "x.json") }
        #expect(throws: DashboardFileError.self) { try Diagnosis(Array("<html></html>".utf8), from: "x.html") }
    }
}
#endif
