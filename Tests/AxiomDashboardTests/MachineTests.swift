// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("A machine that is short of processors", .timeLimit(.minutes(10)))
struct MachineTests {
    /// Two threads, and how they fare: milliseconds a second in which they run and wait together.
    private final class Machine: Sendable {
        let times = Lock(SchedulerTimes(ran: 70_000_000_000, waited: 90_000_000_000))

        func pass(ran: UInt64, waited: UInt64) {
            times.withLock { times in
                times.ran += ran * 1_000_000
                times.waited += waited * 1_000_000
            }
        }

        var threads: [SchedulerTimes] {
            let all = times.withLock { $0 }
            return (1...2).map { SchedulerTimes(ran: all.ran / 2, waited: all.waited / 2, thread: $0) }
        }
    }

    private let machine = Machine()

    private func workshop(_ budgets: [BudgetRule] = []) throws -> Workshop {
        let workshop = try Workshop(["Saw"], budgets: budgets)
        workshop.dashboard.state.withLock { [machine] state in
            state.model.readThreads = { machine.threads }
            state.model.processors = 2
        }
        return workshop
    }

    /// Lets seconds pass.
    private func pass(_ workshop: Workshop, seconds: Int, ran: UInt64, waited: UInt64) {
        for _ in 0..<seconds {
            machine.pass(ran: ran, waited: waited)
            workshop.tick()
        }
    }

    private func rows(_ workshop: Workshop) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value).filter { $0["ended"]?.number == nil }
    }

    private func machineRow(_ workshop: Workshop) throws -> [String: JSONItem]? {
        try rows(workshop).first { $0["text"]?.string?.hasPrefix("The machine") == true }
    }

    @Test("Threads that wait for a processor of others are an observation, for five minutes after the last bad minute")
    func observed() throws {
        let workshop = try workshop()
        pass(workshop, seconds: 70, ran: 200, waited: 20)
        #expect(try machineRow(workshop) == nil)
        pass(workshop, seconds: 60, ran: 200, waited: 140)
        let row = try #require(try machineRow(workshop))
        #expect(row["kind"]?.string == "note" && row["panel"]?.string == "runtime")
        let text = "threads waited 41 % of the time that they wanted to run"
        #expect(row["text"]?.string == "The machine is short of processors: \(text)")
        pass(workshop, seconds: 90, ran: 200, waited: 1)
        let past = try #require(try machineRow(workshop)?["text"]?.string)
        #expect(past == "The machine was short of processors in the last 5 minutes: \(text)")
        pass(workshop, seconds: 250, ran: 200, waited: 1)
        #expect(try machineRow(workshop) == nil)
    }

    @Test("Few waits, a process that wants little, and one that has most of the processors are none", arguments: 0..<3)
    func healthy(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let workshop = try workshop()
        for second in 0..<300 {
            let ran: UInt64
            let most: UInt64
            switch run % 3 {
            case 0:
                ran = UInt64.random(in: 0...900, using: &random)
                most = ran * 45 / 100
            case 1:
                ran = UInt64.random(in: 0...20, using: &random)
                most = 80
            default:
                ran = UInt64.random(in: 1_050...2_000, using: &random)
                most = 6_000
            }
            pass(workshop, seconds: 1, ran: ran, waited: UInt64.random(in: 0...most, using: &random))
            guard second.isMultiple(of: 30) else { continue }
            let found = try machineRow(workshop)?["text"]?.string
            #expect(found == nil, "seed \(seed), run \(run), second \(second)")
        }
    }

    @Test("It is the cause of slowness that is observed only; a confirmed limit and errors remain problems")
    func cause() async throws {
        for isConfirmed in [false, true] {
            let workshop = try workshop(isConfirmed ? [.confirm("client_action")] : [])
            pass(workshop, seconds: 11, ran: 200, waited: 0)
            for _ in 0..<60 {
                await workshop.work(0, .slow)
                await workshop.work(0, .broken)
                pass(workshop, seconds: 1, ran: 200, waited: 300)
            }
            let found = try rows(workshop)
            let machine = try #require(try machineRow(workshop)?["id"]?.number)
            let budget = try #require(found.first { $0["panel"]?.string == "budgets" })
            #expect(budget["kind"]?.string == (isConfirmed ? "bad" : "note"))
            #expect(budget["cause"]?.number == (isConfirmed ? nil : machine))
            let error = try #require(found.first { $0["panel"]?.string == "errors" })
            #expect(error["cause"]?.number == nil)
        }
    }

    @Test(
        "It is not the cause of what takes much longer than it makes it",
        arguments: [(0.9, true), (0.35, false), (0.25, false)]
    )
    func beyond(_ now: Double, _ isBeyond: Bool) {
        let finding = TrendFinding(subject: .operation("Map", "load"), change: .slow(now: now, before: 0.1))
        #expect(finding.isBeyondMachine == isBeyond)
        func observation(_ symptom: Symptom, _ key: String) -> Problem {
            Problem(
                key: key,
                level: .observation,
                kind: .slow,
                component: nil,
                text: key,
                symptom: symptom,
                trend: symptom == .slow ? .latency : nil,
                isBeyondMachine: symptom == .slow && isBeyond
            )
        }
        var folding = CauseFolding([], CallTimes())
        let folded = folding.fold([observation(.starved, "machine"), observation(.slow, "Map")], ComponentIndex())
        #expect(folded.first { $0.key == "Map" }?.cause == (isBeyond ? nil : "machine"))
    }

    @Test("A dependency that was measured is accused also while the machine is short of processors")
    func measured() {
        let clients = ["Map", "Search"].map { ComponentDescriptor(kind: .client, name: $0) }
        let database = ComponentDescriptor(kind: .capability, name: "Database")
        let edges = clients.map { ComponentDependency(from: $0, to: database) }
        let totals = Dictionary(uniqueKeysWithValues: (clients + [database]).map { ($0, MeasuredCalls(seconds: 10)) })
        let times = CallTimes(Dictionary(uniqueKeysWithValues: edges.map { ($0, MeasuredCalls(seconds: 9)) }), totals)
        func finding(_ key: String, _ symptom: Symptom, _ subjects: [String] = []) -> Problem {
            let level: ProblemLevel = symptom == .starved ? .observation : .bad
            return Problem(
                key: key,
                level: level,
                kind: .budget,
                component: nil,
                text: key,
                symptom: symptom,
                subjects: subjects
            )
        }
        let slow = ["Map", "Search"].map { finding($0, .slow, [$0]) }
        var folding = CauseFolding(edges, times)
        let causes = folding.fold(slow, ComponentIndex()).filter { $0.cause == nil }.map(\.text)
        #expect(causes == ["Database is slow: 2 of 2 clients are slow"])
        let starved = folding.fold(slow + [finding("machine", .starved)], ComponentIndex())
        #expect(starved.filter { $0.cause == nil }.map(\.text) == ["machine", causes[0]])
    }
}
#endif
