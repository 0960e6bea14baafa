// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import Testing

@testable import AxiomDashboard

@Suite("The share of the excess, of which a dependency is accused", .timeLimit(.minutes(10)))
struct ExcessTests {
    private let clients = ["Booking", "Map", "Search"].map { ComponentDescriptor(kind: .client, name: $0) }
    private let capabilities = ["Database", "Gateway"].map { ComponentDescriptor(kind: .capability, name: $0) }

    /// How long the parts of one action take, in ms: its own code, the call of the database and that of the gateway.
    private typealias Parts = (own: Double, database: Double, gateway: Double)

    /// The times of 60 actions of each client in this minute, and of 600 before.
    private func times(_ before: Parts, _ now: Parts, actions: Double = 600, calls: Double = 600) -> CallTimes {
        func measured(_ count: Double, _ before: Double, _ now: Double) -> MeasuredCalls {
            MeasuredCalls(
                count: 60,
                seconds: 60 * now / 1_000,
                countBefore: count,
                secondsBefore: count * before / 1_000
            )
        }
        let sums = [before, now].map { $0.own + $0.database + $0.gateway }
        let parts = [(before.database, now.database), (before.gateway, now.gateway)]
        var (edges, totals) = ([ComponentDependency: MeasuredCalls](), [ComponentDescriptor: MeasuredCalls]())
        for client in clients {
            totals[client] = measured(actions, sums[0], sums[1])
            for (capability, part) in zip(capabilities, parts) {
                edges[ComponentDependency(from: client, to: capability)] = measured(calls, part.0, part.1)
            }
        }
        return CallTimes(edges, totals)
    }

    /// The names of the dependencies that are accused if all clients are slow.
    private func accused(_ times: CallTimes) -> [String] {
        let edges = clients.flatMap { client in
            capabilities.map { ComponentDependency(from: client, to: $0) }
        }
        var search = DependencySearch(edges)
        return search.slowDependencies(of: Set(clients), times).map(\.key.name).sorted()
    }

    @Test("A dependency that always took most of the time is innocent if the clients' own code became slow")
    func innocent() {
        #expect(accused(times((10, 90, 0), (60, 90, 0))) == [])
        #expect(accused(times((10, 80, 10), (10, 80, 70))) == ["Gateway"])
    }

    @Test("A dependency that became slow is named, although most of the time is the clients' own")
    func guilty() {
        #expect(accused(times((90, 10, 0), (90, 70, 0))) == ["Database"])
        #expect(accused(times((90, 10, 0), (90, 35, 0))) == [], "the excess of 25 ms is less than a quarter")
        #expect(accused(times((90, 10, 0), (70, 90, 0))) == ["Database"], "more than the excess of the actions")
    }

    @Test("What was always slow, or is new, is judged by its whole time")
    func whole() {
        #expect(accused(times((10, 90, 0), (10, 90, 0))) == ["Database"])
        #expect(accused(times((10, 90, 0), (60, 90, 0), actions: 19)) == ["Database"], "too few actions before")
        #expect(accused(times((10, 90, 0), (60, 90, 0), actions: 20)) == [])
        // The new calls take 60 of the additional 100 ms.
        #expect(accused(times((50, 0, 0), (90, 60, 0), calls: 0)) == ["Database"])
        #expect(accused(times((10, 90, 0), (60, 90, 0), calls: 19)) == ["Database"], "a new dependency")
    }

    @Test("Calls that take longer than the actions are not measured: those of a long poll, or of many at a time")
    func unknown() throws {
        let bus = ComponentDescriptor(kind: .capability, name: "EventBus")
        let poll = ComponentDependency(from: clients[0], to: bus)
        func share(_ seconds: Double) -> Double? {
            CallTimes([poll: MeasuredCalls(seconds: seconds)], [clients[0]: MeasuredCalls(seconds: 10)])
                .shares(of: [clients[0]], in: bus)[clients[0]]
        }
        #expect(share(60) == 0)
        #expect(share(11.1) == 0)
        #expect(share(10.9) == 1)
        #expect(share(5) == 0.5)
        let idle = CallTimes([poll: MeasuredCalls(seconds: 60)], [clients[0]: MeasuredCalls()])
        #expect(idle.shares(of: [clients[0]], in: bus).isEmpty, "it had no actions")
    }

    @Test("What took more than half of the excess is named, and nothing else", arguments: [1, 2, 3] as [UInt64])
    func property(_ seed: UInt64) {
        var (random, judged) = (SeededGenerator(seed: seed), [0, 0, 0])
        for round in 0..<1_000 {
            func parts() -> [Double] { (0..<3).map { _ in .random(in: 1...100, using: &random) } }
            let (before, now) = (parts(), parts())
            let excess = zip(before, now).map { $1 - $0 }
            let (sum, total) = (excess.reduce(0, +), now.reduce(0, +))
            // Near a limit either verdict is right.
            guard sum > 0, abs(sum / total - 0.25) > 0.02 else { continue }
            let shares = sum / total > 0.25 ? excess.map { $0 / sum } : now.map { $0 / total }
            let likely = shares.indices.filter { shares[$0] > 0.45 }
            guard likely.count < 2, likely.allSatisfy({ shares[$0] > 0.55 }) else { continue }
            judged[likely.first ?? 0] += 1
            let expected = likely.filter { $0 > 0 }.map { capabilities[$0 - 1].name }
            let found = accused(
                times((before[0], before[1], before[2]), (now[0], now[1], now[2]))
            )
            #expect(found == expected, "seed \(seed), round \(round): \(before), \(now)")
        }
        #expect(judged.allSatisfy { $0 > 30 }, "\(judged)")
    }
}
#endif
