// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("What rows say", .timeLimit(.minutes(10)))
struct FilledFieldTests {
    private typealias Rows = [Int: [String: JSONItem]]

    private func rows(_ workshop: Workshop, _ list: String) throws -> [[String: JSONItem]] {
        (try Viewer(workshop.dashboard.snapshot()).lists[list] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    private let foreman = ComponentDescriptor(kind: .context, name: "Foreman")

    /// A client as the context that is called Foreman is given it.
    private func handed(_ workshop: Workshop, _ worker: Int) -> any StatelessClient<Workshop.Job> {
        let client = workshop.components[worker]
        workshop.telemetry.registered(foreman, module: "Shop")
        workshop.telemetry.resolved(ComponentDependency(from: foreman, to: client))
        return workshop.observed(Workshop.Worker(workshop.time), client, calledBy: foreman)
    }

    @Test("An edge says how often the caller called, how often in the last minute, and how often in vain")
    func edges() async throws {
        let workshop = try Workshop(["Saw"])
        let saw = handed(workshop, 0)
        await workshop.work(0, .quick)
        for _ in 0..<60 { try await saw.process(.quick) }
        for _ in 0..<3 { try? await saw.process(.broken) }
        for _ in 0..<120 { workshop.tick() }
        var edge = try #require(try rows(workshop, "edges").first)
        #expect(edge["calls"]?.number == 63)
        #expect(edge["errors"]?.number == 3)
        #expect(edge["rate"]?.number == 0)
        #expect(edge["forbidden"] == .flag(false))
        #expect(edge["note"] == nil)
        for _ in 0..<60 {
            try await saw.process(.quick)
            workshop.tick()
        }
        edge = try #require(try rows(workshop, "edges").first)
        #expect(edge["calls"]?.number == 123)
        #expect((0.95...1.05).contains(try #require(edge["rate"]?.number)))
        let client = try #require(try rows(workshop, "components").first { $0["name"]?.string == "Saw" })
        #expect(client["calls"]?.number == 124)
    }

    @Test("An edge that the rules forbid is flagged with the rule, and a problem")
    func forbidden() throws {
        let workshop = try Workshop(["Saw", "Plane"])
        workshop.tick()
        let edge = try #require(try rows(workshop, "edges").first)
        #expect(edge["forbidden"] == .flag(true))
        #expect(edge["note"]?.string == "a client may use capabilities only")
        #expect(edge["calls"] == nil, "nothing counts the calls of a client")
        let problem = try #require(try rows(workshop, "problems").first)
        #expect(problem["panel"]?.string == "graph")
        #expect(problem["text"]?.string == "Plane uses Saw: a client may use capabilities only")
    }

    @Test("An edge within a cycle says the way round")
    func cycle() throws {
        let workshop = try Workshop([])
        let nodes = ["A", "B", "C"].map { ComponentDescriptor(kind: .context, name: $0) }
        for (from, to) in [(0, 1), (1, 0), (1, 2)] {
            workshop.telemetry.resolved(ComponentDependency(from: nodes[from], to: nodes[to]))
        }
        workshop.tick()
        let edges = try rows(workshop, "edges")
        #expect(edges.map { $0["note"]?.string } == ["in a cycle: A → B → A", "in a cycle: B → A → B", nil])
        #expect(edges.allSatisfy { $0["forbidden"] == .flag(false) })
    }

    @Test("The slowest actions are sent whether they kept to their budget or not, with their outcome")
    func slowest() async throws {
        let workshop = try Workshop(["Saw", "Plane"])
        await workshop.work(0, .slow)
        await workshop.work(1, .quick)
        await workshop.work(1, .broken)
        workshop.tick()
        let slowest = try rows(workshop, "slowest")
        let sent = slowest.map { [$0["component"]?.number.map { "\(Int($0))" }, $0["outcome"]?.string] }
        #expect(Set(sent) == [["0", "success"], ["1", "success"], ["1", "failure"]])
        #expect(slowest.first { $0["component"]?.number == 0 }?["seconds"]?.number == 0.03)
        #expect(slowest.allSatisfy { $0["trace"] == nil })
        for _ in 0..<400 { workshop.tick() }
        #expect(try rows(workshop, "slowest").isEmpty)
    }

    @Test("A client has the wait of its actions for its actor, once one was sampled")
    func waits() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        #expect(try rows(workshop, "components").first?["wait"] == nil)
        for _ in 0..<1_000 { await workshop.work(0, .quick) }
        for _ in 0..<3 { workshop.tick() }
        #expect(try rows(workshop, "components").first?["wait"]?.number != nil)
    }

    @Test("Of many components each has a slowest action in the list, beside the slowest of all")
    func fairness() {
        let time = ManualTime()
        let all = (0..<30).flatMap { component in
            (0..<5).map { index in
                SlowAction(
                    component: ComponentDescriptor(kind: .client, name: "C\(component)"),
                    action: "cut",
                    nanoseconds: Int64(component * 1_000 + index),
                    outcome: .success,
                    time: time.now
                )
            }
        }
        let chosen = SlowRow.choose(all.shuffled(), 40)
        #expect(chosen.count == 40)
        #expect(Set(chosen).count == 40)
        #expect(chosen.prefix(20).map(\.nanoseconds) == Array(all.map(\.nanoseconds).sorted(by: >).prefix(20)))
        // The slowest twenty are of four components, and of the other 26 the slowest twenty come next.
        #expect(Set(chosen.map(\.component)).count == 24)
        #expect(SlowRow.choose(Array(all.prefix(7)), 40).count == 7)
    }

    @Test("Percentiles tell durations of more than a second from each other, in rows and in the history")
    func beyondASecond() async throws {
        let workshop = try Workshop(["Saw"])
        let bed = ComponentDescriptor(kind: .client, name: "Bed")
        let slow = workshop.observed(Sleeper(time: workshop.time), bed)
        for _ in 0..<50 { await workshop.work(0, .quick) }
        for _ in 0..<50 { try await slow.process(.nap(.seconds(30))) }
        workshop.tick()
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let row = try #require(viewer.lists["components"]?.values.first { $0["name"]?.string == "Bed" })
        for percentile in ["p50", "p90", "p99"] {
            let seconds = try #require(row[percentile]?.number)
            #expect((27...30).contains(seconds), "\(percentile)")
        }
        let point = try #require(viewer.rings["fine"]?.series["p99"]?.last?.number)
        #expect((27...30).contains(point))
        let counts = try #require(viewer.rings["latency0"]?.series["counts"]?.last?.list)
        #expect(counts.count == CoarseBuckets.latency.bounds.count + 1)
        #expect(counts.compactMap(\.number).reduce(0, +) == 100)
        #expect(counts.suffix(2).map(\.number) == [50, 0], "30 s are not above 32 s")
    }

    @Test("A component tells its module and longest life, an instance how it ended, an action how many are under way")
    func facts() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.telemetry.registered(foreman, module: "Shop")
        for (id, ending) in ComponentEnding.allCases.enumerated() {
            let start = workshop.time.now
            workshop.telemetry.created(ComponentInstance(id: UInt64(100 + id), component: foreman, createdAt: start))
            workshop.time.advance(by: .seconds(3 + id))
            let ended = ComponentInstance(id: UInt64(100 + id), component: foreman, createdAt: start, ending: ending)
            workshop.telemetry.destroyed(ended, lifetime: Int64(3 + id) * 1_000_000_000)
        }
        let gate = Task { try await Task.sleep(for: .seconds(3_600)) }
        let bed = workshop.observed(Sleeper(time: workshop.time), ComponentDescriptor(kind: .client, name: "Bed"))
        let sleeping = Task { try await bed.process(.until(gate)) }
        while workshop.telemetry.readings.actionsInFlight["Bed"] != ["until": 1] { await Task.yield() }
        workshop.tick()
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let row = try #require(viewer.lists["components"]?.values.first { $0["name"]?.string == "Foreman" })
        #expect(row["module"]?.string == "Shop")
        #expect(row["lifetime"]?.object["max"]?.number == 5)
        let how = viewer.lists["instances"]?.sorted { $0.key < $1.key }.compactMap { $0.value["how"]?.string }
        #expect(how?.suffix(3) == ["finished", "cancelled", "failed"])
        let calls = viewer.lists["calls"]?.values.reduce(into: [:]) {
            $0[$1["action"]?.string ?? ""] = $1["inFlight"]?.number
        }
        #expect(calls?["until"] == 1)
        #expect(calls?["nap"] == 0)
        gate.cancel()
        _ = await sleeping.result
    }
}

/// Takes the time that its action says.
private actor Sleeper: StatelessClient {
    enum Nap: Action {
        case nap(Duration)
        case until(Task<Void, any Error>)
    }

    let time: ManualTime

    init(time: ManualTime) {
        self.time = time
    }

    func process(_ action: Nap) async throws {
        switch action {
        case .nap(let duration): time.advance(by: duration)
        case .until(let gate): _ = await gate.result
        }
    }
}
