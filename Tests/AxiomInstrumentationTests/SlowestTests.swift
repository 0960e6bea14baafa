// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomSampleApp
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

@Suite("The slowest actions")
struct SlowestTests {
    private let time = ManualTime()
    private let client = ComponentDescriptor(kind: .client, name: "Saw")

    private func make() -> SlowActions { SlowActions(client, clock: .manual(time)) }

    private func feed(_ slow: SlowActions, _ nanoseconds: Int64, _ outcome: ActionOutcome = .success) {
        if slow.qualifies(nanoseconds) { slow.record("cut", outcome, nanoseconds) }
    }

    @Test("Of any actions of a minute the slowest five are kept", arguments: 0..<20)
    func topFive(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let slow = make()
        let durations = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            Int64.random(in: 0...3_000_000_000, using: &random)
        }
        for duration in durations { feed(slow, duration) }
        let kept = slow.slowest.map(\.nanoseconds).sorted(by: >)
        #expect(kept == Array(durations.sorted(by: >).prefix(5)))
    }

    @Test("An action that is faster than the five slowest of its minute is not kept, until the next minute")
    func threshold() {
        let slow = make()
        for duration in 1...5 { feed(slow, Int64(duration) * 1_000) }
        #expect(!slow.qualifies(1_000))
        #expect(slow.qualifies(1_001))
        time.advance(by: .seconds(60))
        #expect(!slow.qualifies(1_000), "the list was not read")
        _ = slow.slowest
        #expect(slow.qualifies(0))
    }

    @Test("Actions that are older than five minutes are removed")
    func window() {
        let slow = make()
        for minute in 1...8 {
            feed(slow, Int64(minute) * 1_000_000)
            #expect(slow.slowest.count == min(minute, 5))
            time.advance(by: .seconds(60))
        }
        #expect(slow.slowest.map(\.nanoseconds).sorted() == [5, 6, 7, 8].map { $0 * 1_000_000 })
        time.advance(by: .seconds(3_600))
        #expect(slow.slowest.isEmpty)
    }

    @Test("Each has its action, its outcome and the moment of its end")
    func facts() {
        let slow = make()
        time.advance(by: .seconds(7))
        feed(slow, 40, .failure)
        #expect(
            slow.slowest == [
                SlowAction(component: client, action: "cut", nanoseconds: 40, outcome: .failure, time: time.now)
            ]
        )
    }

    #if Instrumented
    @Test("A budget's percentile is within 10 % of the duration, however long, and not above it")
    @MainActor
    func budget() async throws {
        let time = time
        let app = try await SampleApp.started(clock: .manual(time))
        let host = try await app.mountedHost()
        for seconds in [30.0, 7_200] {
            await host.context?.send(.sell { time.advance(by: .seconds(seconds)) })
            let row = try #require(app.telemetry.budgets.report.rows.first { $0.budget.id == .clientAction })
            #expect((0.9 * seconds...seconds).contains(try #require(row.p99)))
        }
    }
    #endif
}
