// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import Testing

@testable import AxiomDashboard

@Suite("The rows of instances")
struct InstanceTests {
    private let view = ComponentDescriptor(kind: .context, name: "View")

    private func rows(_ workshop: Workshop) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["instances"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value)
    }

    private func instance(_ id: UInt64, _ workshop: Workshop) -> ComponentInstance {
        ComponentInstance(id: id, component: view, createdAt: workshop.time.now)
    }

    @Test("After an hour of churn the list has every client that lives and every leak suspect")
    func churn() throws {
        let names = (0..<40).map { "Client\($0)" }
        let workshop = try Workshop(names)
        workshop.telemetry.registered(view, module: "Shop")
        let leaked = (0..<3).map { instance(10_000 + $0, workshop) }
        for one in leaked {
            workshop.telemetry.created(one)
            workshop.telemetry.unmounted(one, at: workshop.time.now)
        }
        for second in 0..<3_600 as Range<UInt64> {
            let one = instance(20_000 + second, workshop)
            workshop.telemetry.created(one)
            workshop.tick()
            workshop.telemetry.destroyed(one, lifetime: 1_000_000_000)
        }
        let rows = try rows(workshop)
        #expect(rows.filter { $0["how"]?.string == "live" }.count == 40)
        #expect(
            rows.filter { $0["how"]?.string == "leaked" }.map { $0["start"]?.number }
                == Array(repeating: 1_700_000_000, count: 3)
        )
        #expect(rows.contains { $0["end"]?.number ?? 0 > 1_700_003_590 })
        #expect(rows.count < 60)
    }

    @Test("Of a type with many living instances the oldest and the newest are listed, and all leak suspects")
    func many() throws {
        let workshop = try Workshop([])
        workshop.telemetry.registered(view, module: "Shop")
        let all = (1...200 as ClosedRange<UInt64>).map { instance($0, workshop) }
        for one in all { workshop.telemetry.created(one) }
        for one in all[90..<120] { workshop.telemetry.unmounted(one, at: workshop.time.now) }
        for _ in 0..<31 { workshop.tick() }
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let living = (viewer.lists["instances"] ?? [:]).filter { $0.value["how"]?.string == "live" }.keys.sorted()
        #expect(living == Array(1...6) + Array(195...200))
        #expect((viewer.lists["instances"] ?? [:]).count == 12 + 30)
    }
}
#endif
