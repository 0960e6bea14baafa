// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Observation
import Testing

@testable import Axiom

/// A client whose actions wait for a gate, inside of a capability or not.
private actor SlowClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let part: CapabilityRef<Part<P0>>
    private let gate: Gate
    private let begun: Journal<SlowAction>

    init(_ scope: borrowing ClientScope, _ gate: Gate, _ begun: Journal<SlowAction>) throws {
        identity = scope.identity
        (part, self.gate, self.begun) = (try scope.capability(Part<P0>.self), gate, begun)
    }

    func process(_ action: SlowAction) async throws {
        switch action {
        case .own: await wait(as: action)
        case .inCapability: try await part.call { _ in await wait(as: action) }
        }
    }

    private func wait(as action: SlowAction) async {
        begun.write(action)
        await gate.wait()
    }
}

private enum SlowAction: Action {
    case own
    case inCapability
}

@Observable
private final class SlowContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<SlowAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(SlowClient.self)
    }
}

@MainActor
@Suite("Watchdog of actions", .timeLimit(.minutes(10)))
struct OverdueTests {
    private let time = ManualTime()
    private let gate = Gate()
    private let begun = Journal<SlowAction>()
    private let signals = SignalJournal()

    private func application() async throws -> (Orchestrator, any StatelessClient<SlowAction>) {
        var limits = WaitLimits()
        limits.overdue = .milliseconds(500)
        let orchestrator = Orchestrator(instrumentation: signals, clock: .manual(time), limits: limits)
        PartMachine().register([0], in: orchestrator)
        orchestrator.register(SlowClient.self) { [gate, begun] in try SlowClient($0, gate, begun) }
        orchestrator.register(SlowContext.self) { try SlowContext($0) }
        try await orchestrator.start()
        return (orchestrator, try orchestrator.makeContext(SlowContext.self).client)
    }

    /// Lets the ticker look `count` times.
    private func tick(_ count: Int) async {
        for _ in 0..<count {
            await time.waitForSleepers(1)
            time.advance(by: .milliseconds(100))
        }
        await time.waitForSleepers(1)
    }

    @Test("An action that runs longer than 500 ms is named, one that waits for a capability is not (CLI-11)")
    func named() async throws {
        let (orchestrator, client) = try await application()
        let calls = [SlowAction.own, .inCapability].map { action in Task { try await client.process(action) } }
        await begun.wait { $0.count == 2 }
        await tick(5)
        #expect(orchestrator.overdueActions.isEmpty)
        await tick(1)
        let overdue = try #require(orchestrator.overdueActions.first)
        #expect(orchestrator.overdueActions.count == 1)
        #expect(overdue.client.name == "SlowClient" && overdue.action == "own")
        #expect(overdue.duration == .milliseconds(600))
        await tick(2)
        gate.open()
        for call in calls { try await call.value }
        await tick(1)
        #expect(orchestrator.overdueActions.isEmpty)
        #if Instrumented
        #expect(signals.all("axiom_client_overdue_total SlowClient own") == [1])
        #expect(signals.all("axiom_client_overdue_total SlowClient inCapability").isEmpty)
        #expect(signals.all("axiom_client_actions_overdue SlowClient").suffix(4) == [1, 1, 1, 0])
        #endif
        await orchestrator.shutdown()
        #expect(time.sleeperCount == 0)
    }

    @Test("Without a limit there is no watchdog, and its clients have no policy (CLI-11)")
    func off() async throws {
        let orchestrator = Orchestrator.scripted(clock: .manual(time))
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        #expect(context.tally is UnobservedClient<TallyClient>)
        #expect(orchestrator.overdueActions.isEmpty && time.sleeperCount == 0)
    }

    @Test("A limit that is not longer than zero stops the start (CLI-11)")
    func invalid() async throws {
        var limits = WaitLimits()
        limits.overdue = .zero
        let orchestrator = Orchestrator(limits: limits)
        await #expect(throws: CompositionError.self) { try await orchestrator.start() }
    }

    @Test("A limit longer than the clock can measure names nothing, and does not trap (CLI-11)")
    func longLimit() {
        var table = OverdueTable()
        _ = table.begin(action: 0, at: Instant(nanoseconds: 0))
        #expect(table.scan(at: Instant(nanoseconds: .max), limit: .seconds(Int64.max)).isEmpty)
    }

    @Test("The table finds exactly the calls that a list of their times finds, in 10^4 random histories (CLI-11)")
    func model() {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(10_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            guard Self.run(&random) else {
                Issue.record("seed \(seed), history \(history)")
                return
            }
        }
    }

    /// A call in the plainest way: what it did at each millisecond.
    private struct PlainCall {
        let slot: OverdueTable.Slot
        let action: Int
        var ran = 0
        var waits = 0
    }

    private static func run(_ random: inout SeededGenerator) -> Bool {
        var (table, calls, ended) = (OverdueTable(), [PlainCall](), [OverdueTable.Slot]())
        for now in 0..<(20 + random.index(below: 60)) {
            let instant = Instant(nanoseconds: Int64(now) * 1_000_000)
            let index = calls.isEmpty ? nil : Optional(random.index(below: calls.count))
            switch random.index(below: 6) {
            case 0..<2:
                guard let slot = table.begin(action: now, at: instant) else { return false }
                calls.append(PlainCall(slot: slot, action: now))
            case 2: if let index { begin(&table, &calls[index], instant) }
            case 3:
                if let index {
                    table.endWait(calls[index].slot, at: instant)
                    calls[index].waits = max(0, calls[index].waits - 1)
                }
            case 4: if let index { ended.append(calls.remove(at: index).slot) }
            default: break
            }
            // Events of calls that have ended, such as those of a task that outlives its call, have no effect.
            for slot in ended {
                table.end(slot)
                table.beginWait(slot, at: instant)
                table.endWait(slot, at: instant)
            }
            let found = table.scan(at: instant, limit: .milliseconds(9)).map {
                [$0.action, Int($0.nanoseconds / 1_000_000)]
            }
            let expected = calls.filter { $0.ran > 9 }.map { [$0.action, $0.ran] }
            guard Set(found) == Set(expected), found.count == expected.count, table.count == calls.count else {
                return false
            }
            for index in calls.indices where calls[index].waits == 0 { calls[index].ran += 1 }
        }
        return true
    }

    private static func begin(_ table: inout OverdueTable, _ call: inout PlainCall, _ instant: Instant) {
        table.beginWait(call.slot, at: instant)
        call.waits += 1
    }
}
