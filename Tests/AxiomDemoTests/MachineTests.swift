// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomDashboard
import AxiomInstrumentation
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
            let conditions: [String]
        }

        struct Component: Decodable {
            let id: Int
            let name: String
        }

        struct Problem: Decodable {
            let text: String
        }

        let capabilities: [Capability]
        let components: [Component]
        let problems: [Problem]
    }

    /// The shop, and its capabilities on the dashboard by name.
    private func run(
        _ dataFolder: String?,
        _ body: (DemoRun, () throws -> (rows: [String: Snapshot.Capability], problems: [String])) async throws -> Void
    ) async throws {
        let telemetry = try Telemetry()
        let options = DemoOptions(dataFolder: dataFolder)
        let run = try DemoRun(options, instrumentation: telemetry)
        let dashboard = Dashboard(telemetry: telemetry, name: "Shop")
        try await run.start()
        try await body(run) {
            dashboard.sample()
            let shot = try JSONDecoder().decode(Snapshot.self, from: Data(dashboard.snapshot()))
            let names = Dictionary(uniqueKeysWithValues: shot.components.map { ($0.id, $0.name) })
            let rows = shot.capabilities.map { (names[$0.component] ?? "", $0) }
            return (Dictionary(uniqueKeysWithValues: rows), shot.problems.map(\.text))
        }
        try await run.shutdown()
    }

    @Test("CAP-11, CAP-24: the space of the disk is a condition of storage, and a healthy machine has no problem")
    func healthy() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-demo-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run(folder) { run, shown in
            while try shown().rows["FileStorage"]?.conditions.isEmpty == true { await Task.yield() }
            let (rows, problems) = try shown()
            #expect(rows["FileStorage"]?.conditions == ["resource storage: none"])
            #expect(rows["FileStorage"]?.level == "full" && rows["HTTPNetwork"]?.level == "full")
            #expect(problems == [])
            #expect(run.orchestrator.errorBoundary.current == nil)
        }
    }

    @Test("CAP-24: a disk that runs full limits storage on the dashboard, with the reason")
    func shortage() async throws {
        try await run(nil) { run, shown in
            while try shown().rows["FileStorage"]?.conditions.isEmpty == true { await Task.yield() }
            let full = try DiskSpaceSource("/", warning: .share(1), critical: .share(1))
            run.orchestrator.monitor(full, for: FileStorage.self)
            while try shown().rows["FileStorage"]?.level == "full" { await Task.yield() }
            let row = try #require(try shown().rows["FileStorage"])
            #expect(row.level == "limited" && row.conditions == ["resource storage: critical"])
        }
    }
}
#endif
