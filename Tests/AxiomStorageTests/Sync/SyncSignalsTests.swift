// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@MainActor
@Suite("The signals of an outbox and its engine", .timeLimit(.minutes(10)))
struct SyncSignalsTests {
    private actor MeasuredClient: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let engine: SyncEngine

        init(_ scope: borrowing ClientScope, _ clock: TimeSource, _ states: AsyncStream<Bool>) throws {
            identity = scope.identity
            var options = SyncOptions()
            options.backoff = .constant(.seconds(1), jitter: .none)
            let outbox = try Outbox("orders", in: MemoryStorage(), clock: clock)
            engine = try SyncEngine(scope, outbox, connection: .states(states), options: options) { change in
                switch change.kind {
                case "bad": return .rejected(reason: "it is bad")
                case "conflict": return .conflict(remote: Data())
                case "late" where change.attempts == 0: throw OutboxTest.Refused()
                default: return .accepted
                }
            } resolve: { change, _ in
                change.payload.isEmpty ? .keepLocal(Data([1])) : .takeRemote
            }
        }

        func activate() async throws { try await engine.start() }
        func deactivate() async { await engine.stop() }
        func process(_ action: PriceAction) async throws {}
    }

    private final class Made: Sendable {
        let engine = Lock<SyncEngine?>(nil)
    }

    @Test("Changes are counted with the age of the oldest, and attempts by outcome and time (SYN-01)")
    func signals() async throws {
        let (values, time, made) = (SignalValues("axiom_"), ManualTime(), Made())
        let (states, connection) = AsyncStream.makeStream(of: Bool.self)
        let orchestrator = Orchestrator(instrumentation: values)
        orchestrator.register(MeasuredClient.self) { scope in
            let client = try MeasuredClient(scope, .manual(time), states)
            made.engine.withLock { $0 = client.engine }
            return client
        }
        try await orchestrator.start()
        let engine = try #require(made.engine.withLock { $0 })
        #expect(values["sync_changes_total orders sent"] == 0, "an outcome starts at 0")
        for kind in ["late", "bad", "good", "conflict"] { try await engine.outbox.append(kind, Data(), key: kind) }
        #expect(values["outbox_changes orders"] == 4)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(30))
        // The regular round shows the age.
        while values["outbox_oldest_seconds orders"]?.rounded() != 30 { await Task.yield() }
        connection.yield(true)
        for await status in engine.outbox.publisher.updates where status.pending == 1 && status.setAside == 1 { break }
        while !(await engine.runner.isIdle) { await Task.yield() }
        time.advance(by: .seconds(1))
        for await status in engine.outbox.publisher.updates where status.pending == 0 { break }
        while !(await engine.runner.isIdle) { await Task.yield() }
        for (outcome, count) in ["sent": 2, "failed": 1, "kept_local": 1, "took_remote": 1, "set_aside": 1] {
            #expect(values["sync_changes_total orders \(outcome)"] == Double(count), "\(outcome)")
        }
        #expect(values["sync_duration_seconds orders"] == 6)
        #expect(values["outbox_changes orders"] == 1 && values["outbox_oldest_seconds orders"]?.rounded() == 31)
        await orchestrator.shutdown()
    }
}
#endif
