// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Observation

@testable import Axiom

/// An action of a ``WorkClient``, with a number that a test gives it.
enum WorkAction: Action, Equatable {
    case free(Int)
    case serial(Int)
    case latest(Int)
    case first(Int)
    case quiet(Int)

    var number: Int {
        switch self {
        case .free(let number), .serial(let number), .latest(let number), .first(let number), .quiet(let number): number
        }
    }
}

/// A client with one action for each rule of concurrency; a test decides what its actions do.
actor WorkClient: ScheduledClient, Component {
    typealias Work = @Sendable (WorkAction) async throws -> Void

    static let queueLimit = 3

    nonisolated let identity: ComponentIdentity
    private let work: Work
    private nonisolated let key: @Sendable (WorkAction) -> String?

    init(_ scope: borrowing ClientScope, key: @escaping @Sendable (WorkAction) -> String?, _ work: @escaping Work) {
        identity = scope.identity
        self.key = key
        self.work = work
    }

    nonisolated func concurrency(of action: WorkAction) -> ActionConcurrency {
        switch action {
        case .free: .interleaved
        case .serial: .serial(limit: Self.queueLimit)
        case .latest: .latest
        case .first: .first
        case .quiet: .debounced(.milliseconds(300))
        }
    }

    nonisolated func concurrencyKey(of action: WorkAction) -> String? { key(action) }

    func process(_ action: WorkAction) async throws { try await work(action) }
}

/// A context that hands out its client.
@Observable
final class WorkContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<WorkAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(WorkClient.self)
    }
}

/// An orchestrator with a ``WorkClient``, started.
@MainActor
struct WorkApplication {
    let orchestrator: Orchestrator
    let client: any StatelessClient<WorkAction>
    private let wrapper: ObservedClient<WorkClient>

    init(
        instrumentation: any Instrumentation = Instrumentations(),
        clock: TimeSource? = nil,
        key: @escaping @Sendable (WorkAction) -> String? = { _ in nil },
        _ work: @escaping WorkClient.Work
    ) async throws {
        let limits = clock == nil ? WaitLimits.endless : WaitLimits()
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock ?? .live, limits: limits)
        orchestrator.register(WorkClient.self) { WorkClient($0, key: key, work) }
        orchestrator.register(WorkContext.self) { try WorkContext($0) }
        try await orchestrator.start()
        client = try orchestrator.makeContext(WorkContext.self).client
        guard let wrapper = client as? ObservedClient<WorkClient> else { throw SampleError("not wrapped") }
        self.wrapper = wrapper
    }

    /// The number of calls that run or wait in the scheduler; joined callers count as one.
    var scheduled: Int { wrapper.policy?.scheduler?.count ?? 0 }

    /// The number of callers that wait for joined calls.
    var joined: Int { wrapper.policy?.scheduler?.flights.callerCount ?? 0 }

    /// Waits until so many calls run or wait.
    func wait(forScheduled count: Int) async {
        while scheduled != count { await Task.yield() }
    }

    /// Calls the client in a task of its own. Returns when the scheduler has the call.
    func call(_ action: WorkAction, expecting count: Int) async -> Task<ActionOutcome, Never> {
        let task = Task { [client] in await Self.outcome { try await client.process(action) } }
        await wait(forScheduled: count)
        return task
    }

    private static func outcome(_ body: () async throws -> Void) async -> ActionOutcome {
        do {
            try await body()
            return .success
        } catch {
            return ActionOutcome(ofError: error)
        }
    }
}
