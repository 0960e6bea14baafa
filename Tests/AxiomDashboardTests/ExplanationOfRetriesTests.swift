// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomDashboard
import AxiomInstrumentation
import AxiomResilience
import AxiomTestSupport
import Observation
import Testing

private protocol Well: Sendable {}

private struct Dry: Error {}

private actor DeepWell: Capability, Well {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    static func recovery(for error: any Error) -> CapabilityRecovery { .retry(attempts: 6, backoff: .none) }
}

private actor Gardener: StatelessClient, Component {
    enum Work: Action {
        case water(failures: Int)

        static let caseNames = ["water"]
        var caseIndex: Int { 0 }
    }

    nonisolated let identity: ComponentIdentity
    private let well: CapabilityRef<any Well>
    private let time: ManualTime

    init(_ scope: borrowing ClientScope, _ time: ManualTime) throws {
        identity = scope.identity
        (well, self.time) = (try scope.capability((any Well).self), time)
    }

    func process(_ work: Work) async throws {
        guard case .water(let failures) = work else { return }
        time.advance(by: .microseconds(200))
        let time = time
        let runs = Lock(0)
        try await well.call("fill") { _ in
            time.advance(by: .milliseconds(2))
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run <= failures { throw Dry() }
        }
    }
}

@MainActor
@Observable
private final class Garden: Context {
    nonisolated let identity: ComponentIdentity
    private let gardener: any StatelessClient<Gardener.Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        gardener = try scope.client(Gardener.self)
    }

    func handle(_ work: Gardener.Work) async throws { try await gardener.process(work) }
}

@MainActor
@Suite("Why calls of a real application are slow", .timeLimit(.minutes(10)))
struct ExplanationOfRetriesTests {
    @Test(
        "Retries of a capability explain slow actions of the client and of the context above it, and the diagnosis says so"
    )
    func retries() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let telemetry = try Telemetry(onBudgetViolation: { _ in }, clock: .manual(time))
        let dashboard = Dashboard(telemetry: telemetry, name: "Garden")
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        orchestrator.register(DeepWell.self, as: (any Well).self) { DeepWell($0) }
        orchestrator.register(Gardener.self) { try Gardener($0, time) }
        orchestrator.register(Garden.self) { try Garden($0) }
        try await orchestrator.start()
        let garden = try orchestrator.makeContext(Garden.self)
        for number in 0..<200 {
            await garden.send(.water(failures: number % 10 == 3 ? 3 + number / 10 % 3 : 0))
            time.advance(by: .milliseconds(10))
            if number % 20 == 0 { dashboard.sample() }
        }
        for name in ["Gardener", "Garden"] {
            let query = try ExplanationQuery { ["component": name, "action": "water"][$0] }
            let answer = try JSONItem(dashboard.explanation(query)).object
            let cause = try #require(answer["causes"]?.list.first?.object, "\(answer)")
            #expect(cause["feature"] == .text("retries"))
            #expect(cause["says"]?.string?.contains(" retries of DeepWell.fill instead of 0") == true, "\(cause)")
            #expect(answer["slow"] == .value(20) && cause["spans"] == .value(20))
            #expect(cause["share"]?.number ?? 0 > 0.9)
        }
        await orchestrator.shutdown()
    }
}
#endif
