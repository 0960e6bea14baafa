// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// Two instrumented clients, and everything that counts their calls.
@MainActor
struct CountedApplication {
    private let telemetry: Telemetry
    /// Lives as long as its clients.
    private let orchestrator: Orchestrator
    private let clients: [AnyCountingClient]
    /// The same without instrumentation.
    private let bare: [any CountingClient]
    /// The spans of the start.
    private let firstSpans: UInt64

    /// Opens after 50 failures of the last 100 calls, for 2 ms.
    private static let breaker = CircuitBreakerConfiguration(
        window: .count(100),
        minimumCalls: 100,
        failureRateThreshold: 0.5,
        openDuration: .milliseconds(2)
    )

    static func start() async throws -> CountedApplication {
        let telemetry = try Telemetry(breakers: [.client(GuardedClient.self, breaker)])
        let orchestrator = Orchestrator(instrumentation: telemetry)
        let made = Lock<[String: any CountingClient]>([:])
        orchestrator.register(GuardedClient.self) { scope in
            let client = GuardedClient(scope)
            made.withLock { $0[Tally.clients[0]] = client }
            return client
        }
        orchestrator.register(WatchedClient.self) { scope in
            let client = WatchedClient(scope)
            made.withLock { $0[Tally.clients[1]] = client }
            return client
        }
        orchestrator.register(CountingContext.self) { try CountingContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(CountingContext.self)
        return CountedApplication(
            telemetry: telemetry,
            orchestrator: orchestrator,
            clients: [context.guarded, context.watched],
            bare: made.withLock { made in Tally.clients.compactMap { made[$0] } },
            firstSpans: telemetry.spanCounts?.recorded ?? 0
        )
    }

    /// Sends actions from several tasks. Returns when all have ended.
    ///
    /// - Returns: What the tasks saw.
    func send(_ count: Int, from tasks: Int, round: Int) async -> Tally {
        let clients = clients
        return await withTaskGroup(of: Tally.self) { group in
            for task in 0..<tasks {
                let share = count / tasks + (task < count % tasks ? 1 : 0)
                group.addTask { await Self.send(share, to: clients[task % 2], task % 2, from: (round - 1) * share) }
            }
            var tally = Tally()
            for await part in group { tally += part }
            return tally
        }
    }

    private nonisolated static func send(
        _ count: Int,
        to client: AnyCountingClient,
        _ index: Int,
        from first: Int
    ) async -> Tally {
        var tally = Tally()
        for number in first..<first + count { await tally.send(CountedAction(number: number), to: client, index) }
        return tally
    }

    /// Sends an action that no tally has.
    func sendUncounted() async {
        try? await clients[1].process(.add)
    }

    /// Compares all counts with those of the tasks. To be called while no action runs.
    func compare(with tally: Tally) async -> Comparison {
        var comparison = Comparison()
        let page = telemetry.registry.collect()
        for client in Tally.clients.indices {
            compareActions(client, page, tally, &comparison)
            compareBreaker(client, page, tally, &comparison)
            let performed = await bare[client].performed.counts
            for action in performed.indices {
                let what = "\(Tally.clients[client]).\(CountedAction.caseNames[action]), performed by the client"
                comparison.equal(what, Double(performed[action]), tally.performed(client: client, action: action))
            }
        }
        comparison.equal("actions in flight", page.total("axiom_client_actions_in_flight"), 0)
        compareSpans(tally, &comparison)
        return comparison
    }

    private func compareActions(_ client: Int, _ page: Snapshot, _ tally: Tally, _ comparison: inout Comparison) {
        for (action, name) in CountedAction.caseNames.enumerated() {
            let labels = ["client": Tally.clients[client], "action": name]
            for (outcome, value) in Tally.outcomes.enumerated() {
                let labels = labels.merging(["outcome": value.rawValue]) { $1 }
                let counted = page.total("axiom_client_actions_total", where: labels)
                let what = "\(Tally.clients[client]).\(name), \(value.rawValue)"
                comparison.equal(what, counted, tally.count(client: client, action: action, outcome: outcome))
            }
            let observed = page.total("axiom_client_action_duration_seconds", where: labels)
            let what = "\(Tally.clients[client]).\(name), durations"
            comparison.equal(what, observed, tally.performed(client: client, action: action))
        }
    }

    /// A breaker counts what the client's calls ended with.
    private func compareBreaker(_ client: Int, _ page: Snapshot, _ tally: Tally, _ comparison: inout Comparison) {
        let breaker = Tally.clients[client]
        for (outcome, value) in Tally.outcomes.enumerated() {
            let labels = ["breaker": breaker, "outcome": value.rawValue]
            let counted = page.total("axiom_circuit_calls_total", where: labels)
            comparison.equal(
                "breaker \(breaker), \(value.rawValue)",
                counted,
                tally.count(client: client, outcome: outcome)
            )
        }
        comparison.equal(
            "breaker \(breaker), in flight",
            page.total("axiom_circuit_calls_in_flight", where: ["breaker": breaker]),
            0
        )
    }

    /// Each action is one span, and each span is in exactly one place.
    private func compareSpans(_ tally: Tally, _ comparison: inout Comparison) {
        guard let spans = telemetry.spanCounts else { return comparison.equal("spans", nil, tally.total) }
        comparison.equal("spans", Double(spans.recorded - firstSpans), tally.total)
        let known = spans.inRing + spans.keptOnly + spans.overwritten + spans.displaced + spans.contended
        comparison.equal("spans and where they are", Double(known), Int(spans.recorded))
    }
}
