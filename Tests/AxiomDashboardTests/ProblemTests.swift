// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("Problems and their end")
struct ProblemTests {
    private func problems(_ workshop: Workshop, _ panel: String) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value).filter { $0["panel"]?.string == panel }
    }

    @Test("A problem lasts while it is found; then it has an end and a text in the past tense; it may come back")
    func log() throws {
        var log = ProblemLog()
        let problem = Problem(
            key: "a",
            level: .bad,
            kind: .circuit,
            component: nil,
            text: "Circuit A is open",
            past: "Circuit A was open"
        )
        func expect(_ text: String, at: Double, ended: Double?, _ comment: Comment? = nil) throws {
            let row = try #require(log.rows.first { $0.id == 0 })
            #expect(row.text == text, comment)
            #expect(row.at == at, comment)
            #expect(row.ended == ended, comment)
            #expect(row.since == (at == 121 ? 121 : 100), comment)
        }
        log.record([problem], at: 100)
        try expect("Circuit A is open", at: 100, ended: nil)
        log.record([problem], at: 105)
        try expect("Circuit A is open", at: 100, ended: nil, "it is sent again after 10 s, not before")
        log.record([], at: 110)
        try expect("Circuit A was open", at: 100, ended: 110)
        log.record([], at: 120)
        try expect("Circuit A was open", at: 100, ended: 110, "it ends once")
        log.record([problem], at: 121)
        try expect("Circuit A is open", at: 121, ended: nil)
        let earlier = try #require(log.rows.first { $0.id != 0 })
        #expect(log.rows.count == 2)
        #expect(earlier.later == 0)
        #expect(earlier.text == "Circuit A was open")
        #expect(earlier.since == 100 && earlier.ended == 110)
    }

    @Test("Of a problem that flaps the last ten times are kept, and it displaces no other problem")
    func flapping() throws {
        var log = ProblemLog()
        let (steady, flapping) = (problem("steady"), problem("flapping"))
        for step in 0..<1_000 {
            log.record(step.isMultiple(of: 2) ? [steady, flapping] : [steady], at: Double(100 + step))
        }
        let earlier = log.rows.filter { $0.later != nil }
        #expect(earlier.count == 10)
        #expect(earlier.map(\.since) == stride(from: 1_078, through: 1_096, by: 2).map(Double.init))
        #expect(earlier.allSatisfy { $0.ended == $0.since + 1 })
        #expect(log.rows.count == 12)
        #expect(log.rows.first { $0.text == "steady" }?.since == 100)
        log.record([], at: 1_100 + 86_400)
        #expect(log.rows.isEmpty)
    }

    @Test("Many problems that flap take bounded memory, and those that were seen last are kept")
    func manyFlapping() throws {
        var log = ProblemLog()
        for step in 0..<200 {
            let keys = step.isMultiple(of: 2) ? (0..<60).map { problem("p\($0)") } : []
            log.record(keys, at: Double(100 + step))
            #expect(log.rows.count <= 160)
        }
        #expect(log.rows.count { $0.later != nil } == 100)
    }

    private func problem(_ key: String) -> Problem {
        Problem(key: key, level: .bad, kind: .circuit, component: nil, text: key)
    }

    @Test("An error that comes again and again is a problem for five minutes after it, and then has ended")
    func errors() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<10 {
            await workshop.work(0, .broken)
            workshop.tick()
        }
        #expect(try problems(workshop, "errors").map { $0["ended"] ?? nil } == [nil])
        for _ in 0..<400 { workshop.tick() }
        let ended = try problems(workshop, "errors")
        #expect(ended.count == 1)
        #expect(try #require(ended.first)["ended"]?.number != nil)
    }

    @Test("A budget that is missed is a problem and an event where it is confirmed; a default is neither")
    func budgets() async throws {
        for isConfirmed in [false, true] {
            let workshop = try Workshop(["Saw"], budgets: isConfirmed ? [.confirm("client_action")] : [])
            for _ in 0..<12 {
                await workshop.work(0, .slow)
                workshop.tick()
            }
            let viewer = try Viewer(workshop.dashboard.snapshot())
            let row = try #require(viewer.lists["budgets"]?.values.first { $0["name"]?.string == "client_action" })
            // The report is made every other second.
            #expect(row["violations"]?.number == 12)
            #expect(row["status"]?.string == (isConfirmed ? "violated" : "default"))
            let saw = try #require(viewer.lists["components"]?.values.first { $0["name"]?.string == "Saw" })
            #expect(saw["budget"]?.string == (isConfirmed ? "violated" : "default"))
            let events = viewer.lists["events"]?.values.filter { $0["kind"]?.string == "violation" } ?? []
            #expect(events.isEmpty != isConfirmed)
            let found = try problems(workshop, "budgets")
            #expect(found.count == (isConfirmed ? 1 : 0))
            guard isConfirmed else { continue }
            let text = try #require(found.first?["text"]?.string)
            #expect(text == "Budget client_action is missed by Saw: 100 % over 8 ms in 5 minutes, 5 % allowed")
            for _ in 0..<400 { workshop.tick() }
            #expect(found.first?["component"]?.number == saw["id"]?.number)
            let past = try #require(try problems(workshop, "budgets").first)
            #expect(past["text"]?.string?.hasPrefix("Budget client_action was missed by Saw: ") == true)
            #expect(past["ended"]?.number != nil)
        }
    }
}
#endif
