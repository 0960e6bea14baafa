// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The snapshot")
struct SnapshotTests {
    private static let python = ExternalTool.schemaPython

    /// What a Python that has jsonschema says against the document; empty for nothing.
    private func complaints(_ document: [UInt8], tick: Bool = false) async throws -> String {
        let schema = Repository.root.appending(path: "Dashboards/web/snapshot-1.schema.json").path
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            if sys.argv[2] == "tick": schema = {"$ref": "#/$defs/tick", "$defs": schema["$defs"]}
            for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
            """
        let arguments = ["-c", script, schema, tick ? "tick" : "snapshot"]
        let output = try await Self.python.run(arguments, input: Data(document))
        return output.output + output.errors
    }

    @Test(
        "It fits its schema, and so does every tick, also with names that try to be something else",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation)),
        arguments: [["Saw", "Plane"], HostileName.all, []]
    )
    func schema(_ names: [String]) async throws {
        var random = SplitMix64(seed: 1)
        let workshop = try Workshop(names, appName: names.first ?? "Empty")
        workshop.tick()
        #expect(try await complaints(workshop.dashboard.snapshot()) == "")
        for _ in 0..<12 {
            if !names.isEmpty { await workshop.bustle(&random, 20) }
            workshop.tick()
        }
        #expect(try await complaints(workshop.dashboard.snapshot()) == "")
        for tick in workshop.latestTicks(after: 1) { #expect(try await complaints(tick, tick: true) == "") }
    }

    @Test("Its totals are those of the metrics, and of what was done")
    func totals() async throws {
        var random = SplitMix64(seed: 5)
        let workshop = try Workshop(["Saw", "Plane", "Lathe"])
        for _ in 0..<30 {
            await workshop.bustle(&random, 7)
            workshop.tick()
        }
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let metrics = workshop.telemetry.registry.collect()
        for (id, row) in viewer.lists["components"] ?? [:] {
            let name = workshop.components[id].name
            #expect(row["name"]?.string == name)
            let done = workshop.done[name] ?? [0, 0, 0]
            #expect(row["calls"]?.number == Double(done.reduce(0, +)))
            #expect(row["errors"]?.number == Double(done[2]))
            let total = metrics.total("axiom_client_actions_total", where: ["client": name])
            #expect(row["calls"]?.number == total)
            for (field, metric) in [("created", "created_total"), ("ended", "destroyed_total"), ("live", "live")] {
                #expect(row[field]?.number == metrics.total("axiom_component_\(metric)", where: ["component": name]))
            }
        }
        let calls = viewer.lists["calls"]?.values.reduce(0) { $0 + ($1["success"]?.number ?? 0) } ?? 0
        #expect(calls == metrics.total("axiom_client_actions_total", where: ["outcome": "success"]))
        let errors = viewer.lists["errors"]?.values.reduce(0) { $0 + ($1["count"]?.number ?? 0) } ?? 0
        #expect(errors == metrics.total("axiom_errors_total"))
        let history = viewer.rings["fine"]?.series["calls"]?.compactMap(\.number).reduce(0, +) ?? 0
        #expect(abs(history - Double(workshop.done.values.joined().reduce(0, +))) < 1)
    }

    @Test("Rates and percentiles of rows look back a minute, and no further")
    func window() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<600 { await workshop.work(0, .slow) }
        workshop.tick()
        for _ in 0..<120 {
            await workshop.work(0, .quick)
            workshop.tick()
        }
        let row = try #require(try Viewer(workshop.dashboard.snapshot()).lists["components"]?[0])
        let rate = try #require(row["rate"]?.number)
        #expect((0.95...1.05).contains(rate))
        #expect(try #require(row["p99"]?.number) <= 1e-4)
        #expect(row["calls"]?.number == 720)
    }

    @Test("Each event is sent once, in order")
    func events() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<25 {
            await workshop.work(0, .broken)
            workshop.tick()
        }
        let events = try Viewer(workshop.dashboard.snapshot()).lists["events"] ?? [:]
        let kinds = events.sorted { $0.key < $1.key }.compactMap { $0.value["kind"]?.string }
        #expect(kinds.filter { $0 == "error" }.count == 1)
        #expect(kinds.filter { $0 == "started" }.count == 1)
        #expect(kinds.contains("transition"))
    }

    @Test("An error that comes again and again is a problem, and stands in the list while it holds")
    func problems() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<3 {
            await workshop.work(0, .broken)
            workshop.tick()
        }
        #expect(try Viewer(workshop.dashboard.snapshot()).lists["problems"]?.isEmpty == true)
        for _ in 0..<20 {
            await workshop.work(0, .broken)
            workshop.tick()
        }
        let problems = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        let errors = problems.values.filter { $0["panel"]?.string == "errors" }
        #expect(errors.count == 1)
        #expect(errors.first?["kind"]?.string == "bad")
    }

    @Test("The history takes no more memory than is stated, however long it runs")
    func memory() async throws {
        let workshop = try Workshop(["Saw"])
        await workshop.work(0, .quick)
        workshop.tick()
        for _ in 0..<2_000 { workshop.tick() }
        let rings = try Viewer(workshop.dashboard.snapshot()).rings
        #expect(rings["fine"]?.series.values.allSatisfy { $0.count == 900 } == true)
        #expect(rings["coarse"]?.series.values.allSatisfy { $0.count == 33 } == true)
        #expect(workshop.historyLimit < 700_000)
    }

    @Test("A second that was slept through is a gap")
    func gap() throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        workshop.time.advance(by: .seconds(5))
        workshop.tick()
        let calls = try Viewer(workshop.dashboard.snapshot()).rings["fine"]?.series["calls"] ?? []
        #expect(calls.map { $0 == .null } == [false, true, true, true, true, true, false])
    }

    @Test("A telemetry without an application has a dashboard of the process")
    func processAlone() throws {
        let time = ManualTime()
        let dashboard = Dashboard(telemetry: try Telemetry(clock: .manual(time)), name: "Alone")
        time.advance(by: .seconds(1))
        dashboard.sample()
        let viewer = try Viewer(dashboard.snapshot())
        #expect(viewer.lists["components"]?.isEmpty == true)
        #expect(viewer.rings["fine"]?.series["memory"]?.first?.number ?? 0 > 1_000_000)
    }

    @Test("A telemetry and its dashboard are freed with the last one who holds them")
    func freed() async throws {
        weak var telemetry: Telemetry?
        weak var dashboard: Dashboard?
        func use() async throws {
            let workshop = try Workshop(["Saw", "Plane"])
            await workshop.work(0, .slow)
            await workshop.work(1, .broken)
            for _ in 0..<70 { workshop.tick() }
            _ = workshop.dashboard.diagnosis()
            (telemetry, dashboard) = (workshop.telemetry, workshop.dashboard)
            #expect(telemetry != nil && dashboard != nil)
        }
        try await use()
        #expect(telemetry == nil)
        #expect(dashboard == nil)
    }
}
