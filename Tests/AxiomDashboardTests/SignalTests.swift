// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("What modules record, in snapshots and ticks")
struct SignalTests {
    private static let depth = SignalFamily("axiom_navigation_depth", .gauge, help: "Routes.", labels: ["flow"])
    private static let moves = SignalFamily(
        "axiom_navigation_transitions_total",
        .counter,
        help: "Transitions.",
        labels: ["flow", "route"]
    )
    private static let time = SignalFamily(
        "axiom_navigation_duration_seconds",
        .seconds,
        help: "Durations.",
        labels: ["flow"]
    )

    private func signals(_ viewer: Viewer) -> [[String: JSONItem]] {
        (viewer.lists["signals"] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    @Test("Each signal is a row with its family, its labels and the value that the metrics page has")
    func rows() throws {
        let workshop = try Workshop([])
        workshop.telemetry.signal(Self.depth, ["main"])?.set(3)
        workshop.telemetry.signal(Self.moves, ["main", "a \"quoted\" route"])?.add(5)
        let time = try #require(workshop.telemetry.signal(Self.time, ["main"]))
        for index in 1...100 { time.observe(nanoseconds: Int64(index) * 100_000) }
        workshop.tick()
        let rows = signals(try Viewer(workshop.dashboard.snapshot()))
        #expect(rows.map { $0["family"]?.string } == [Self.depth.name, Self.moves.name, Self.time.name])
        #expect(rows.map { $0["kind"]?.string } == ["gauge", "counter", "seconds"])
        #expect(rows.map { $0["value"]?.number } == [3, 5, 100])
        #expect(rows[1]["labels"]?.object == ["flow": .text("main"), "route": .text("a \"quoted\" route")])
        #expect(rows[0]["p50"] == nil)
        #expect(abs((rows[2]["sum"]?.number ?? 0) - 0.505) < 1e-9)
        #expect((0.0045...0.0055).contains(try #require(rows[2]["p50"]?.number)))
        #expect((0.0089...0.01).contains(try #require(rows[2]["p99"]?.number)))
    }

    @Test("A tick carries the values that changed, under the ids of the rows")
    func ticks() throws {
        let workshop = try Workshop([])
        let depth = try #require(workshop.telemetry.signal(Self.depth, ["main"]))
        workshop.telemetry.signal(Self.depth, ["settings"])?.set(1)
        depth.set(1)
        workshop.tick()
        var viewer = try Viewer(workshop.dashboard.snapshot())
        depth.set(2)
        workshop.tick()
        let tick = try #require(workshop.latestTicks(after: viewer.seq).first)
        let changes = try JSONItem(tick).object["rows"]?.object["signals"]?.list.map(\.object) ?? []
        #expect(changes.count == 1)
        #expect(changes.first?.keys.sorted() == ["id", "value"])
        try viewer.apply(try JSONItem(tick))
        #expect(signals(viewer).map { $0["value"]?.number } == [2, 1])
        #expect(signals(viewer) == signals(try Viewer(workshop.dashboard.snapshot())))
    }

    @Test("Of each family at most 100 signals are sent, and of all families 1,000")
    func limits() throws {
        let workshop = try Workshop([])
        for family in 0..<12 {
            let name = "axiom_test_\(family)_total"
            let many = SignalFamily(name, .counter, help: "Numbers.", labels: ["number"])
            for number in 0..<120 { workshop.telemetry.signal(many, ["\(number)"])?.add(1) }
        }
        workshop.tick()
        let families = signals(try Viewer(workshop.dashboard.snapshot())).compactMap { $0["family"]?.string }
        #expect(families.count == 1_000)
        let counts = Dictionary(families.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(Set(counts.values) == [100])
    }

    @Test("A family that could not be bound is not a row, and a family with two signals is read once")
    func binding() throws {
        let workshop = try Workshop([])
        let wrong = SignalFamily("not a name", .counter, help: "Nothing.")
        #expect(workshop.telemetry.signal(wrong, []) == nil)
        #expect(workshop.telemetry.signal(Self.depth, []) == nil)
        for flow in ["b", "a"] { workshop.telemetry.signal(Self.depth, [flow])?.set(1) }
        workshop.tick()
        let rows = signals(try Viewer(workshop.dashboard.snapshot()))
        #expect(rows.compactMap { $0["labels"]?.object["flow"]?.string } == ["a", "b"])
    }
}

/// A link that a test takes away.
private actor Radio: Capability, Component, SystemCapability {
    static let permissions: Set<Permission> = [.files]

    nonisolated let identity: ComponentIdentity
    nonisolated let status: CapabilityStatus

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
        status = scope.status
    }

    func permissionStatus(_ permission: Permission) -> PermissionStatus { .granted }
    func requestPermission(_ permission: Permission) -> PermissionStatus { .granted }
}

@Suite("The capabilities that a dashboard shows", .timeLimit(.minutes(10)))
@MainActor
struct CapabilityRowTests {
    @Test("A row has the level, its begin, the reason and the conditions of the capability")
    func level() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let telemetry = try Telemetry(clock: .manual(time))
        let dashboard = Dashboard(telemetry: telemetry, name: "Radio")
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        let made = Lock<Radio?>(nil)
        orchestrator.register(Radio.self) { scope in
            let radio = Radio(scope)
            made.withLock { $0 = radio }
            return radio
        }
        try await orchestrator.start()
        func row() throws -> [String: JSONItem] {
            time.advance(by: .seconds(1))
            dashboard.sample()
            let lists = try Viewer(dashboard.snapshot()).lists
            let id = try #require(lists["components"]?.first { $0.value["name"]?.string == "Radio" }?.key)
            let row = try #require(lists["capabilities"]?[id])
            #expect(row["component"]?.number == Double(id))
            return row
        }
        var shown = try row()
        #expect(shown["level"] == .text("full"))
        #expect(shown["reason"] == .text(""))
        #expect(shown["conditions"]?.list == [.text("permission files: granted")])
        made.withLock { $0 }?.status.report(.limited, because: "the link is slow")
        shown = try row()
        #expect(shown["level"] == .text("limited"))
        #expect(shown["reason"] == .text("the link is slow"))
        // The clock moves only with rows.
        for _ in 0..<2 {
            #expect(shown["since"]?.number == 1_700_000_001)
            shown = try row()
        }
        await orchestrator.shutdown()
    }
}

@Suite("The context of errors that a dashboard shows")
struct ErrorContextTests {
    @Test("An occurrence has the context that the application gave, without secrets")
    func context() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.telemetry.provideErrorContext {
            ErrorContext(user: "u-17", appVersion: "2.4.1", attributes: ["cart": "3 items", "apiToken": "hidden"])
        }
        await workshop.work(0, .broken)
        workshop.tick()
        let group = try #require(try Viewer(workshop.dashboard.snapshot()).lists["errors"]?.keys.first)
        let served = try JSONItem(try #require(workshop.dashboard.errors(ofGroup: group))).object
        let context = try #require(served["occurrences"]?.list.first?.object["context"]?.object)
        #expect(context["user"] == .text("u-17"))
        #expect(context["appVersion"] == .text("2.4.1"))
        #expect(context["session"] == nil)
        #expect(context["attributes"]?.object == ["cart": .text("3 items")])
    }
}
#endif
