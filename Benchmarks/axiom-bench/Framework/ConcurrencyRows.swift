// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// The specification's goals for waits and tasks, for the calls that a client schedules.
enum ConcurrencyRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "client.serial",
            statement: "an action of 8 tasks at one serial client < 1 ms, mean of 8,000",
            unit: "ms",
            limit: 1,
            measure: { try await contendedActions() }
        ),
        .init(
            id: "client.serial.admission",
            statement: "a serial action that need not wait < 1 ms, mean of 10,000",
            unit: "ms",
            limit: 1,
            measure: { try await meanAction(.serial) }
        ),
        .init(
            id: "client.watched",
            statement: "an action that the watchdog watches < 1 ms, mean of 10,000",
            unit: "ms",
            limit: 1,
            measure: { try await meanAction(.free, overdue: .milliseconds(500)) }
        ),
        .init(
            id: "single-flight",
            statement: "work that one caller begins and ends < 1 ms, mean of 10,000",
            unit: "ms",
            limit: 1,
            measure: { try await flight() }
        ),
    ]

    @MainActor
    private static func client(overdue: Duration? = nil) async throws -> any StatelessClient<QueueAction> {
        var limits = WaitLimits()
        limits.overdue = overdue
        let orchestrator = Orchestrator(limits: limits)
        orchestrator.register(QueueClient.self) { QueueClient($0) }
        orchestrator.register(QueueContext.self) { try QueueContext($0) }
        try await orchestrator.start()
        return try orchestrator.makeContext(QueueContext.self).client
    }

    @MainActor
    private static func meanAction(_ action: QueueAction, overdue: Duration? = nil) async throws -> Double {
        let client = try await client(overdue: overdue)
        return try await Task.detached {
            let start = TimeSource.live.now
            for _ in 0..<10_000 { try await client.process(action) }
            return TimeSource.live.now.seconds(since: start) * 1_000 / 10_000
        }.value
    }

    @MainActor
    private static func contendedActions() async throws -> Double {
        let client = try await client()
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let start = TimeSource.live.now
                    for _ in 0..<1_000 { try await client.process(.serial) }
                    return TimeSource.live.now.seconds(since: start)
                }
            }
            var seconds = 0.0
            for try await part in group { seconds += part }
            return seconds * 1_000 / 8_000
        }
    }

    private static func flight() async throws -> Double {
        let flight = SingleFlight<Int, Int>("Benchmark")
        let start = TimeSource.live.now
        for index in 0..<10_000 { _ = try await flight.value(for: index) { index } }
        return TimeSource.live.now.seconds(since: start) * 1_000 / 10_000
    }
}

private enum QueueAction: Action {
    case free
    case serial

    static let caseNames = ["free", "serial"]

    var caseIndex: Int {
        switch self {
        case .free: 0
        case .serial: 1
        }
    }
}

private actor QueueClient: ScheduledClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    nonisolated func concurrency(of action: QueueAction) -> ActionConcurrency {
        action == .serial ? .serial(limit: 100) : .interleaved
    }

    func process(_ action: QueueAction) async throws {}
}

@Observable
private final class QueueContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<QueueAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(QueueClient.self)
    }
}
