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
        /// - Parameter wait: The wait for a connection, in milliseconds.
        case water(failures: Int = 0, wait: Int64 = 0)

        static let caseNames = ["water"]
        var caseIndex: Int { 0 }
    }

    nonisolated let identity: ComponentIdentity
    private let well: CapabilityRef<any Well>
    private let time: ManualTime
    private let waits: (any Signal)?

    init(_ scope: borrowing ClientScope, _ time: ManualTime) throws {
        identity = scope.identity
        (well, self.time) = (try scope.capability((any Well).self), time)
        let family = SignalFamily("garden_wait_seconds", .seconds, help: "Waits.", labels: ["pool"])
        waits = scope.identity.signal(family.waits, ["hoses"])
    }

    func process(_ work: Work) async throws {
        guard case .water(let failures, let wait) = work else { return }
        time.advance(by: .microseconds(200) + .milliseconds(wait))
        waits?.observe(nanoseconds: wait * 1_000_000)
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
struct ExplanationOfApplicationTests {
    /// An application with an action each 200 ms, of which each tenth is `slow`, and its dashboard.
    private func run(_ slow: (Int) -> Gardener.Work) async throws -> (Orchestrator, Dashboard) {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let telemetry = try Telemetry(
            budgets: [.confirm(.clientAction)],
            onBudgetViolation: { _ in },
            clock: .manual(time)
        )
        let dashboard = Dashboard(telemetry: telemetry, name: "Garden")
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        orchestrator.register(DeepWell.self, as: (any Well).self) { DeepWell($0) }
        orchestrator.register(Gardener.self) { try Gardener($0, time) }
        orchestrator.register(Garden.self) { try Garden($0) }
        try await orchestrator.start()
        let garden = try orchestrator.makeContext(Garden.self)
        for number in 0..<400 {
            await garden.send(number % 10 == 3 ? slow(number / 10) : .water())
            time.advance(by: .milliseconds(200))
            if number % 5 == 4 { dashboard.sample() }
        }
        return (orchestrator, dashboard)
    }

    @Test("Retries of a capability explain slow actions of the client and of the context above it")
    func retries() async throws {
        let (orchestrator, dashboard) = try await run { .water(failures: 3 + $0 % 3) }
        for name in ["Gardener", "Garden"] {
            let answer = try JSONItem(dashboard.explanation(of: name, "water")).object
            let cause = try #require(answer["causes"]?.list.first?.object, "\(answer)")
            #expect(cause["feature"] == .text("retries"))
            #expect(cause["says"]?.string?.contains(" retries of DeepWell.fill instead of 0") == true, "\(cause)")
            #expect(answer["slow"] == .value(40) && cause["spans"] == .value(40))
            #expect(cause["share"]?.number ?? 0 > 0.9)
        }
        await orchestrator.shutdown()
    }

    @Test("A slow wait for a pool is named, and the diagnosis of a slow cause has it as its evidence, live and saved")
    func pool() async throws {
        let (orchestrator, dashboard) = try await run { .water(wait: 20 + Int64($0 % 3)) }
        let live = try #require(dashboard.diagnosis())
        let saved = try Diagnosis(dashboard.exportedSnapshot(), from: "garden.json")
        for diagnosis in [live, saved] {
            let cause = try #require(diagnosis.causes.first, "\(diagnosis)")
            #expect(cause.component == "Gardener" && cause.next.hasPrefix("#trace="), "\(cause)")
            let evidence = cause.evidence ?? ""
            #expect(evidence.hasPrefix("Gardener.water: ") && evidence.contains(" % of the excess: 2"), "\(evidence)")
            #expect(evidence.hasSuffix(" ms of waiting for pool hoses instead of 0 s"), "\(evidence)")
            #expect(diagnosis.markdown().contains(evidence))
        }
        await orchestrator.shutdown()
    }
}
#endif
