// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomDashboard
import AxiomInstrumentation
import Foundation
import ShopLoad
import Testing

@testable import axiom_demo

@Suite("The shop's policies on the dashboard")
@MainActor
struct PolicyRowTests {
    private struct Snapshot: Decodable {
        struct Policy: Decodable {
            let name: String
            let value: Double?
            let unit: String
        }

        let policies: [Policy]
    }

    @Test("What stands around the disk is shown: retries and what is left of their budget, the bulkhead, the timeout")
    func storage() async throws {
        let telemetry = try Telemetry()
        let run = try DemoRun(DemoOptions(), instrumentation: telemetry)
        try telemetry.watch(run.storagePolicy)
        let dashboard = Dashboard(telemetry: telemetry, name: "Shop")
        try await run.start()
        try await run.load(.steps(20))
        let json = Data(dashboard.snapshot())
        try await run.shutdown()
        let policies = try JSONDecoder().decode(Snapshot.self, from: json).policies
        let values = Dictionary(uniqueKeysWithValues: policies.map { ($0.name, $0.value) })
        #expect(
            Set(values.keys) == [
                "storage: retries", "storage: retries left", "storage: retries refused", "storage: in use of 8",
                "storage: queued", "storage: rejected", "storage: timeouts",
            ]
        )
        #expect(values["storage: retries left"] == 20)
        #expect(values["storage: in use of 8"] == 0)
        #expect(policies.allSatisfy { $0.unit == "count" })
    }
}
#endif
