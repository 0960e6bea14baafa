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

    @Test("A problem holds while it is found; then it has an end and words of the past; it may come back")
    func book() throws {
        var book = ProblemBook()
        let problem = ProblemBook.Problem(
            key: "a",
            isBad: true,
            panel: "circuits",
            component: nil,
            text: "Circuit A is open",
            past: "Circuit A was open"
        )
        func row() throws -> [Value] { try #require(book.rows.first).values }
        book.note([problem], at: 100)
        #expect(try row()[3...] == [.text("Circuit A is open"), .number(100), .none])
        book.note([problem], at: 105)
        #expect(try row()[4...] == [.number(100), .none], "it is sent again after 10 s, not before")
        book.note([], at: 110)
        #expect(try row()[3...] == [.text("Circuit A was open"), .number(100), .number(110)])
        book.note([], at: 120)
        #expect(try row()[5] == .number(110), "it ends once")
        book.note([problem], at: 121)
        #expect(try row()[3...] == [.text("Circuit A is open"), .number(121), .none])
        #expect(book.rows.count == 1)
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

    @Test("A budget that is missed is a problem and news where it is confirmed; a default is neither")
    func budgets() async throws {
        for isConfirmed in [false, true] {
            let workshop = try Workshop(["Saw"], budgets: isConfirmed ? [.confirm("client_action")] : [])
            for _ in 0..<12 {
                await workshop.work(0, .slow)
                workshop.tick()
            }
            let viewer = try Viewer(workshop.dashboard.snapshot())
            let row = try #require(viewer.lists["budgets"]?.values.first { $0["name"]?.string == "client_action" })
            // The report is made once in five seconds.
            #expect([10, 12].contains(row["violations"]?.number))
            #expect(row["status"]?.string == (isConfirmed ? "violated" : "default"))
            let saw = try #require(viewer.lists["components"]?.values.first { $0["name"]?.string == "Saw" })
            #expect(saw["budget"]?.string == (isConfirmed ? "violated" : "default"))
            let events = viewer.lists["events"]?.values.filter { $0["kind"]?.string == "violation" } ?? []
            #expect(events.isEmpty != isConfirmed)
            let found = try problems(workshop, "budgets")
            #expect(found.count == (isConfirmed ? 1 : 0))
            guard isConfirmed else { continue }
            let text = try #require(found.first?["text"]?.string)
            #expect(text.hasPrefix("Budget client_action is missed: 0") && text.hasSuffix("% within 8 ms in 5 minutes"))
            for _ in 0..<400 { workshop.tick() }
            let past = try #require(try problems(workshop, "budgets").first)
            #expect(past["text"]?.string?.hasPrefix("Budget client_action was missed: ") == true)
            #expect(past["ended"]?.number != nil)
        }
    }
}
#endif
