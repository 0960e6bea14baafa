// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("What an export says about single operations", .timeLimit(.minutes(10)))
struct ExportTests {
    private func app(traces: Int) async throws -> TracedApp {
        var random = SplitMix64(seed: 14)
        let app = try TracedApp()
        for number in 0..<traces {
            let steps = (0..<3).map { _ in TracedApp.Plan.random(&random) }
            _ = await app.trace("root\(number)", steps, end: .broken)
        }
        app.time.advance(by: .seconds(1))
        app.dashboard.sample()
        return app
    }

    @Test("It has the latest activities and the kept traces with their spans, in a snapshot of version 2")
    func lists() async throws {
        let app = try await app(traces: 120)
        let live = try JSONItem(app.dashboard.snapshot()).object
        let export = try JSONItem(app.dashboard.exportedSnapshot()).object
        #expect(live["version"] == .value(1))
        #expect(live["activity"] == nil && live["traces"] == nil)
        #expect(export["version"] == .value(2))
        #expect(Set(export.keys) == Set(live.keys).union(["activity", "explanations", "occurrences", "traces"]))
        #expect(export["activity"] == .items(try app.dashboard.activities(["limit": "300"]).map { .fields($0) }))
        let traces = export["traces"]?.list.map(\.object) ?? []
        #expect(traces.count == 100)
        #expect(traces.allSatisfy { $0["kept"] != .null })
        for trace in traces.prefix(5) {
            #expect(try app.dashboard.traceItem(trace["id"]?.string.flatMap { TraceID($0) }) == trace)
        }
        let roots = try JSONItem(app.dashboard.traces()).object["traces"]?.list.prefix(100) ?? []
        #expect(roots.map { $0.object["trace"] } == traces.map { $0["id"] })
    }

    @Test("Pages are made of both versions, and a comparison of one of each")
    func files() async throws {
        let app = try await app(traces: 3)
        let (live, export) = (app.dashboard.snapshot(), app.dashboard.exportedSnapshot())
        for json in [live, export] { #expect(try !DashboardFile.render(json, from: "a.json").isEmpty) }
        let page = String(decoding: try DashboardFile.diff(live, from: "a", export, from: "b"), as: UTF8.self)
        #expect(page.contains("\"axiom/trace\""))
        let exported = String(decoding: app.dashboard.exportedPage(), as: UTF8.self)
        #expect(exported.contains("{\"schema\":\"axiom/snapshot\",\"version\":2,"))
    }
}
#endif
