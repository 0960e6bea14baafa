// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import Testing

@testable import AxiomDashboard

/// Components with the times of a minute.
private struct Minute {
    var edges: [ComponentDependency] = []
    /// How long all of them took, in seconds.
    var calls: [ComponentDependency: Double] = [:]
    var totals: [ComponentDescriptor: Double] = [:]

    /// A component whose actions or calls take some time by themselves, for one call, and then that of what it calls.
    /// Capabilities come before those that call them.
    mutating func add(_ component: ComponentDescriptor, calls: Double, own: Double, _ targets: [ComponentDescriptor]) {
        var total = calls * own
        for target in targets {
            let edge = ComponentDependency(from: component, to: target)
            edges.append(edge)
            self.calls[edge] = calls * (seconds[target] ?? 0)
            totals[target, default: 0] += calls * (seconds[target] ?? 0)
            total += calls * (seconds[target] ?? 0)
        }
        seconds[component] = total / calls
        if component.kind == .client { totals[component] = total }
    }

    /// How long one call of a component takes.
    var seconds: [ComponentDescriptor: Double] = [:]

    /// The causes if these clients miss a budget each, or one together.
    func causes(_ slow: [ComponentDescriptor], isOneBudget: Bool = false) -> [String] {
        let findings = (isOneBudget ? [slow] : slow.map { [$0] }).map { clients in
            Problem(
                key: clients[0].name,
                level: .bad,
                kind: .budget,
                component: nil,
                text: clients[0].name,
                symptom: .slow,
                subjects: clients.map(\.name)
            )
        }
        let times = CallTimes(
            calls.mapValues { MeasuredCalls(seconds: $0) },
            totals.mapValues { MeasuredCalls(seconds: $0) }
        )
        var folding = CauseFolding(edges, times)
        return folding.fold(findings, ComponentIndex()).filter { $0.cause == nil }.map(\.text)
    }
}

@Suite("Who is accused of slowness", .timeLimit(.minutes(10)))
struct SlownessTests {
    private func client(_ name: String) -> ComponentDescriptor { ComponentDescriptor(kind: .client, name: name) }
    private func capability(_ name: String) -> ComponentDescriptor {
        ComponentDescriptor(kind: .capability, name: name)
    }

    private var trips: [ComponentDescriptor] { ["Booking", "Map", "Search"].map { client($0) } }

    /// Three clients that call a gateway and a database.
    private func minute(gateway: Double, database: Double, own: Double = 0.002) -> Minute {
        var minute = Minute()
        minute.seconds = [capability("Gateway"): gateway, capability("Database"): database]
        for client in trips {
            minute.add(client, calls: 20, own: own, [capability("Gateway"), capability("Database")])
        }
        return minute
    }

    @Test("Of two dependencies with the same users, the one is accused that took the time, whichever it is")
    func bothWaysRound() {
        #expect(minute(gateway: 0.007, database: 0.576).causes(trips) == ["Database is slow: 3 of 3 clients are slow"])
        #expect(minute(gateway: 0.576, database: 0.007).causes(trips) == ["Gateway is slow: 3 of 3 clients are slow"])
    }

    @Test("If no dependency took most of the time, none is accused: it is one problem, which says what they share")
    func neither() {
        let expected = ["3 clients are slow; they share Database and Gateway"]
        #expect(minute(gateway: 0.3, database: 0.3).causes(trips) == expected)
        #expect(minute(gateway: 0.007, database: 0.005, own: 0.5).causes(trips) == expected, "it is their own time")
        #expect(minute(gateway: 0.007, database: 0.576).causes([trips[0]]) == ["Database is slow for Booking"])
    }

    @Test("Without the times of actions nobody is accused")
    func unknown() {
        var minute = minute(gateway: 0.007, database: 0.576)
        for client in trips { minute.totals[client] = nil }
        #expect(minute.causes(trips) == ["3 clients are slow; they share Database and Gateway"])
        (minute.calls, minute.totals) = ([:], [:])
        #expect(minute.causes(trips) == ["3 clients are slow; they share Database and Gateway"])
    }

    @Test("A client without calls in this minute has the cause that was found for the others")
    func paused() {
        var minute = minute(gateway: 0.007, database: 0.576)
        minute.totals[trips[2]] = 0
        #expect(minute.causes(trips) == ["Database is slow: 3 of 3 clients are slow"])
    }

    @Test("A client whose time is its own keeps its finding, whatever the others wait for")
    func ownTime() {
        var minute = minute(gateway: 0.007, database: 0.576)
        let idle = client("Sums")
        minute.add(idle, calls: 20, own: 0.4, [capability("Gateway"), capability("Database")])
        // It is fast for this one.
        minute.calls[ComponentDependency(from: idle, to: capability("Database"))] = 0.1
        minute.totals[idle] = 8.3
        #expect(Set(minute.causes(trips + [idle])) == ["Sums", "Database is slow: 3 of 4 clients are slow"])
    }

    @Test("Of a chain, the deepest one is accused in which the one above it spent most of its time")
    func chain() {
        func causes(_ gateway: Double, _ database: Double) -> [String] {
            var minute = Minute()
            minute.seconds[capability("Database")] = database
            minute.add(capability("Gateway"), calls: 60, own: gateway, [capability("Database")])
            for client in trips { minute.add(client, calls: 20, own: 0.002, [capability("Gateway")]) }
            return minute.causes(trips)
        }
        #expect(causes(0.1, 0.4) == ["Database is slow: 3 of 3 clients are slow"])
        #expect(causes(0.4, 0.1) == ["Gateway is slow: 3 of 3 clients are slow"])
    }

    @Test("Many shared dependencies are listed up to three")
    func many() {
        var minute = Minute()
        let shared = ["E", "C", "A", "D", "B"].map { capability($0) }
        for client in trips { minute.add(client, calls: 1, own: 1, shared) }
        #expect(minute.causes(trips) == ["3 clients are slow; they share A, B, C and 2 more"])
        minute.edges = trips.map { ComponentDependency(from: $0, to: shared[0]) }
        #expect(minute.causes(trips) == ["3 clients are slow; they share E"])
        minute.edges += trips.flatMap { client in
            shared[1...2].map { ComponentDependency(from: client, to: $0) }
        }
        #expect(minute.causes(trips) == ["3 clients are slow; they share A, C and E"])
    }

    @Test("Two slow dependencies of different clients are two problems")
    func two() {
        var minute = Minute()
        minute.seconds = [capability("Disk"): 0.5, capability("Network"): 0.6, capability("Log"): 0.001]
        let (local, remote) = ((1...3).map { client("Local\($0)") }, (1...3).map { client("Remote\($0)") })
        for client in local { minute.add(client, calls: 5, own: 0.01, [capability("Disk"), capability("Log")]) }
        for client in remote { minute.add(client, calls: 5, own: 0.01, [capability("Network"), capability("Log")]) }
        let causes = ["Disk is slow: 3 of 3 clients are slow", "Network is slow: 3 of 3 clients are slow"]
        #expect(minute.causes(local + remote) == causes)
        #expect(minute.causes(local + remote, isOneBudget: true) == causes)
    }

    /// Four to ten clients over three to six capabilities, of which the later ones call some earlier ones.
    private func random(
        _ random: inout SeededGenerator,
        slow: Int?,
        own: ClosedRange<Double>
    ) -> (minute: Minute, clients: [ComponentDescriptor], capabilities: [ComponentDescriptor]) {
        var minute = Minute()
        let capabilities = (0..<Int.random(in: 3...6, using: &random)).map { capability("Capability\($0)") }
        func noise(_ generator: inout SeededGenerator) -> Double { .random(in: 0.7...1.3, using: &generator) }
        var below: [ComponentDescriptor: [ComponentDescriptor]] = [:]
        for (index, capability) in capabilities.enumerated() {
            let targets = capabilities.prefix(index).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let cost = (index == slow.map { $0 % capabilities.count } ? 0.5 : 0.01) * noise(&random)
            below[capability] = targets
            minute.seconds[capability] = targets.reduce(cost) { $0 + (minute.seconds[$1] ?? 0) }
        }
        let clients = (0..<Int.random(in: 4...10, using: &random)).map { client("Client\($0)") }
        for client in clients {
            let used = capabilities.filter { _ in Bool.random(using: &random) }
            let cost = Double.random(in: own, using: &random) * noise(&random)
            let calls = Double(Int.random(in: 5...50, using: &random))
            minute.add(client, calls: calls, own: cost, used.isEmpty ? [capabilities[0]] : used)
        }
        // What capabilities spent in the calls of others follows from how often they were called themselves.
        for capability in capabilities.reversed() {
            let total = minute.totals[capability] ?? 0
            let calls = total / (minute.seconds[capability] ?? 1)
            for target in below[capability] ?? [] {
                let edge = ComponentDependency(from: capability, to: target)
                let time = min(total, calls * (minute.seconds[target] ?? 0) * noise(&random))
                minute.edges.append(edge)
                minute.calls[edge] = time
                minute.totals[target, default: 0] += time
            }
        }
        return (minute, clients, capabilities)
    }

    @Test("A slow dependency at any place of a random graph is named right, and no other one")
    func named() {
        var (right, judged, wrong) = (0, 0, [UInt64]())
        for seed in 0..<400 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let place = Int.random(in: 0..<60, using: &generator)
            let (minute, clients, capabilities) = random(&generator, slow: place, own: 0.005...0.05)
            let culprit = capabilities[place % capabilities.count]
            let slow = clients.filter { (minute.seconds[$0] ?? 0) > 0.3 }
            guard !slow.isEmpty else { continue }
            judged += 1
            let isRight = minute.causes(slow).contains { $0.hasPrefix("\(culprit.name) is slow") }
            right += isRight ? 1 : 0
            let others = minute.causes(slow).filter { $0.contains(" is slow") && !$0.hasPrefix(culprit.name + " ") }
            if !isRight || !others.isEmpty { wrong.append(seed) }
        }
        #expect(judged > 300)
        #expect(Double(right) >= 0.95 * Double(judged), "\(right) of \(judged), wrong with the seeds \(wrong)")
        #expect(Double(wrong.count) <= 0.05 * Double(judged), "wrong with the seeds \(wrong)")
    }

    @Test("If clients are slow themselves, no dependency is named", arguments: 0..<200 as Range<UInt64>)
    func innocent(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (minute, clients, _) = random(&generator, slow: nil, own: 0.4...0.9)
        let slow = clients.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
        let causes = minute.causes(slow)
        #expect(!causes.contains { $0.contains(" is slow") }, "seed \(seed): \(causes)")
    }
}
#endif
