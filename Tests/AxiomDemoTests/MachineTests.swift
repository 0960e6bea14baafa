// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import ArgumentParser
import Axiom
import AxiomDashboard
import AxiomInstrumentation
import AxiomStorage
import AxiomSystem
import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_demo

@Suite("The machine on the shop's dashboard", .timeLimit(.minutes(10)))
@MainActor
struct MachineTests {
    private struct Snapshot: Decodable {
        struct Capability: Decodable {
            let component: Int
            let level: String
            let reason: String
            let conditions: [String]
        }

        struct Component: Decodable {
            let id: Int
            let name: String
        }

        struct Problem: Decodable {
            /// `note` for an observation, which is no problem: a busy machine may miss unconfirmed limits.
            let kind: String
            let text: String
        }

        let capabilities: [Capability]
        let components: [Component]
        let problems: [Problem]
    }

    /// The shop, and its dashboard.
    @MainActor
    private struct Shown {
        let run: DemoRun
        private let dashboard: Dashboard

        init(_ options: [String] = []) async throws {
            let telemetry = try Telemetry()
            run = try DemoRun(.parse(options), instrumentation: telemetry)
            dashboard = Dashboard(telemetry: telemetry, name: "Shop")
            try await run.start()
        }

        func snapshot() throws -> Snapshot {
            dashboard.sample()
            return try JSONDecoder().decode(Snapshot.self, from: Data(dashboard.snapshot()))
        }

        /// The row of a capability, once it is as expected. The time limit of the suite ends the wait.
        func row(_ name: String, when holds: (Snapshot.Capability) -> Bool) async throws -> Snapshot.Capability {
            while true {
                let shot = try snapshot()
                let id = shot.components.first { $0.name == name }?.id
                if let row = shot.capabilities.first(where: { $0.component == id }), holds(row) { return row }
                await Task.yield()
            }
        }
    }

    @Test("CAP-11, CAP-24: the space of the disk is a condition of storage, and a healthy machine has no problem")
    func healthy() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-demo-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shown = try await Shown(["--data-dir", folder])
        let row = try await shown.row("SQLiteStorage") { !$0.conditions.isEmpty }
        #expect(row.conditions == ["resource storage: enough"])
        #expect(row.level == "full")
        #expect(try shown.snapshot().problems.filter { $0.kind != "note" }.map(\.text) == [])
        #expect(shown.run.orchestrator.errorBoundary.current == nil)
        try await shown.run.shutdown()
    }

    @Test("CAP-24: a disk that runs full limits storage on the dashboard, with the reason")
    func shortage() async throws {
        let shown = try await Shown()
        _ = try await shown.row("SQLiteStorage") { !$0.conditions.isEmpty }
        let full = try DiskSpaceSource("/", warning: .share(1), critical: .share(1))
        shown.run.orchestrator.monitor(full, for: (any KeyValueStorage).self)
        let row = try await shown.row("SQLiteStorage") { $0.level == "limited" }
        #expect(row.conditions == ["resource storage: critical"])
        #expect(row.reason == "the pressure of the resource storage is critical")
        try await shown.run.shutdown()
    }
}
#endif
