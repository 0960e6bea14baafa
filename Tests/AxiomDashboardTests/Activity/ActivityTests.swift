// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("The activity", .timeLimit(.minutes(10)))
struct ActivityTests {
    typealias Row = [String: JSONItem]

    /// Runs random traces until there were this many operations.
    private func run(_ operations: Int, _ app: TracedApp, _ random: inout SplitMix64) async {
        let end = app.performed + operations
        while app.performed < end {
            let steps = (0..<Int.random(in: 0..<5, using: &random)).map { _ in TracedApp.Plan.random(&random) }
            _ = await app.trace("root\(steps.count)", steps, end: steps.count == 4 ? .broken : .success)
        }
    }

    @Test("Each filter and the limit select what a plain model selects from the whole list")
    func filters() async throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed)
        let app = try TracedApp(["Saw", "sander", "Saw & Co <b>"], memory: 1 << 19)
        await run(800, app, &random)
        let all = try app.dashboard.activities(["limit": "1000"])
        #expect(all.count > 500)
        for _ in 0..<100 {
            let parameters = Self.parameters(&random, all)
            let limit = parameters["limit"].flatMap { Int($0) } ?? 200
            let expected = all.filter { Self.selects($0, parameters) }.prefix(limit)
            let found = try app.dashboard.activities(parameters)
            #expect(found.map { $0["id"] } == expected.map { $0["id"] }, "\(parameters), seed \(seed)")
        }
    }

    private static func parameters(_ random: inout SplitMix64, _ all: [Row]) -> [String: String] {
        let row = all.randomElement(using: &random) ?? [:]
        let texts = ["saw", "SAW", "Über", "über<B>", "custom", "failure", "Fault", "broken", "no such", "cut", ""]
        let candidates = [
            "limit": "\(Int.random(in: 1...1_000, using: &random))",
            "q": [texts.randomElement(using: &random), row["id"]?.string, row["trace"]?.string].compactMap(\.self)
                .randomElement(using: &random),
            "component": row["component"]?.string ?? "",
            "outcome": ActionOutcome.allCases.randomElement(using: &random)?.rawValue,
            "min": "\(Double.random(in: 0..<0.05, using: &random))",
            "failures": ["0", "1"].randomElement(using: &random),
            "kept": ["0", "1"].randomElement(using: &random),
        ]
        return candidates.compactMapValues(\.self).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    }

    private static func selects(_ row: Row, _ parameters: [String: String]) -> Bool {
        let error = row["error"]?.object
        let texts = [
            row["kind"], row["component"], row["name"], row["outcome"], error?["code"], error?["type"],
        ].compactMap { $0?.string }
        let outcome = row["outcome"]?.string ?? ""
        if parameters["failures"] == "1", !["failure", "rejected"].contains(outcome) { return false }
        if parameters["kept"] == "1", row["kept"] == .null { return false }
        if let wanted = parameters["outcome"], wanted != outcome { return false }
        if let least = parameters["min"].flatMap({ Double($0) }), row["seconds"]?.number ?? 0 < least { return false }
        if let wanted = parameters["component"], !wanted.isEmpty, row["component"]?.string != wanted { return false }
        guard let text = parameters["q"], !text.isEmpty else { return true }
        return texts.contains { $0.lowercased().contains(text.lowercased()) }
            || [row["id"]?.string, row["trace"]?.string].contains(text)
    }

    @Test(
        "The latest are first, and each has its parent in its trace while that is known",
        arguments: [1 << 19, 4 << 20]
    )
    func parents(_ memory: Int) async throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let app = try TracedApp(memory: memory)
        await run(6_000, app, &random)
        let rows = try app.dashboard.activities(["limit": "1000"])
        let ends = rows.map { ($0["start"]?.number ?? 0) + ($0["seconds"]?.number ?? 0) }
        // JSONSerialization divides by ten for each decimal, so seconds since 1970 are exact to about 1.3 µs.
        let wrong = zip(rows, rows.dropFirst()).enumerated().filter { ends[$0.offset] < ends[$0.offset + 1] - 3e-6 }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        #expect(Set(rows.map { $0["id"] }).count == rows.count)
        for id in Set(rows.map { $0["trace"]?.string ?? "" }).prefix(10) {
            let trace = try #require(try app.dashboard.traceItem(TraceID(id)))
            let spans = trace["spans"]?.list.map(\.object) ?? []
            let byID = Dictionary(spans.map { ($0["id"] ?? .null, $0) }) { first, _ in first }
            for activity in rows where activity["trace"]?.string == id {
                #expect(byID[activity["id"] ?? .null] != nil)
                let parent = activity["parent"].flatMap { byID[$0] }
                let by = activity["by"]?.object ?? [:]
                #expect(by["name"] == parent?["name"])
                #expect(by["component"] == parent?["component"])
            }
        }
    }

    @Test("What was recorded is what is known and what was dropped", arguments: [1 << 19, 4 << 20])
    func counts(_ memory: Int) async throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let app = try TracedApp(memory: memory)
        for _ in 0..<3 {
            await run(3_000, app, &random)
            let answer = try app.dashboard.activity()
            let dropped = answer["dropped"]?.object.values.compactMap(\.number).reduce(0, +) ?? -1
            let known = Double(app.telemetry.readings.knownSpans?.count ?? -1)
            #expect(answer["recorded"]?.number == known + dropped)
        }
        #expect(memory > 1 << 20 || app.telemetry.spanCounts?.overwritten ?? 0 > 0)
    }

    @Test("The origin of an error is the component that threw it first")
    func origins() async throws {
        let app = try TracedApp()
        let inner = TracedApp.Plan(who: .client(2, 1), end: .late)
        let middle = TracedApp.Plan(who: .client(0, 0), end: .late, steps: [inner])
        _ = await app.trace("order", [middle], end: .late)
        let rows = try app.dashboard.activities(["failures": "1"])
        // They ended at the same moment: the one that began last comes first.
        #expect(rows.map { $0["name"]?.string } == ["sand", "cut", "order"])
        for row in rows {
            #expect(row["error"]?.object["origin"] == .text("Glue"))
            #expect(row["error"]?.object["code"] == .text("late"))
            #expect(row["error"]?.object["type"] == .text("Fault"))
            #expect(row["kept"] == .text("failed"))
        }
        _ = await app.trace("other", [middle], end: .broken)
        let other = try #require(try app.dashboard.activities(["q": "other"]).first)
        #expect(other["error"]?.object["origin"] == .null)
    }

    @Test("A trace that failed inside and not at its root is kept as recovered")
    func recovered() async throws {
        let app = try TracedApp()
        _ = await app.trace("order", [TracedApp.Plan(who: .client(0, 0), end: .broken)])
        _ = await app.trace("quick")
        let rows = try app.dashboard.activities(["kept": "1", "q": "order"])
        #expect(rows.map { $0["kept"] } == [.text("recovered")])
        let kept = try JSONItem(app.dashboard.traces()).object
        #expect(kept["schema"] == .text("axiom/traces"))
        #expect(kept["traces"]?.list.map { $0.object["name"] } == [.text("quick"), .text("order")])
    }

    @Test(
        "A value that is not permitted is refused with the name of its parameter and what is permitted",
        arguments: [
            ("limit", "0"), ("limit", "1001"), ("limit", "ten"), ("limit", ""), ("limit", "1.5"), ("min", "-1"),
            ("min", "nan"), ("min", "inf"), ("min", "soon"), ("outcome", "bad"), ("outcome", "Failure"),
            ("failures", "yes"), ("kept", "2"), ("kept", "<script>"), ("limit", String(repeating: "9", count: 10_000)),
        ]
    )
    func refusals(_ parameter: String, _ value: String) throws {
        let error = #expect(throws: QueryError.self) { try ActivityQuery { $0 == parameter ? value : nil } }
        let json = try JSONItem(error?.json ?? []).object
        #expect(json["parameter"] == .text(parameter))
        #expect(json["error"]?.string?.hasPrefix("\(parameter) is ") == true)
        #expect(json["error"]?.string?.contains("give ") == true)
        #expect(error?.json.count ?? .max < 300)
    }

    @Test("Without a flight recorder there is an empty list")
    func off() throws {
        let dashboard = try Dashboard(telemetry: Telemetry(flightRecorder: .off))
        let answer = try dashboard.activity()
        #expect(answer["recorded"] == .value(0))
        #expect(answer["activity"] == .items([]))
        #expect(dashboard.trace(TraceID(high: 1, low: 1)) == nil)
        #expect(try JSONItem(dashboard.traces()).object["traces"] == .items([]))
        #expect(try JSONItem(dashboard.exportedSnapshot()).object["version"] == .value(2))
    }
}
#endif
