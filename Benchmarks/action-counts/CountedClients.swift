// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import Observation

/// What the clients of the application do.
enum CountedAction: Axiom.Action {
    case add
    case remove
    /// Throws an error.
    case fail
    /// Throws a `CancellationError`, as a call does whose task was cancelled.
    case cancel

    static let caseNames = ["add", "remove", "fail", "cancel"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .fail: 2
        case .cancel: 3
        }
    }

    /// The action with this number in the script of a task.
    ///
    /// One action in 1,000 fails and one in 10,000 is cancelled. 200 failures in a row, once in 1,000,000 actions and at the
    /// beginning, open a circuit breaker.
    init(number: Int) {
        if number % 1_000_000 < 200 || number % 1_000 == 999 {
            self = .fail
        } else if number % 10_000 == 5_000 {
            self = .cancel
        } else {
            self = number & 1 == 0 ? .add : .remove
        }
    }
}

struct PlannedFailure: Error {}

/// What a client counts itself, by the index of the action's case.
struct PerformedActions: Sendable {
    private(set) var counts = [0, 0, 0, 0]

    /// - Throws: ``PlannedFailure`` or a `CancellationError`, for actions that fail or are cancelled.
    mutating func perform(_ action: CountedAction) throws {
        counts[action.caseIndex] += 1
        switch action {
        case .add, .remove: break
        case .fail: throw PlannedFailure()
        case .cancel: throw Cancellation.onPurpose
        }
    }
}

protocol CountingClient: StatelessClient, Component where ActionType == CountedAction {
    var performed: PerformedActions { get async }
}

/// A client whose circuit breaker opens.
actor GuardedClient: CountingClient {
    nonisolated let identity: ComponentIdentity
    private(set) var performed = PerformedActions()

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: CountedAction) throws { try performed.perform(action) }
}

/// A client whose circuit breaker only counts.
actor WatchedClient: CountingClient {
    nonisolated let identity: ComponentIdentity
    private(set) var performed = PerformedActions()

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: CountedAction) throws { try performed.perform(action) }
}

typealias AnyCountingClient = any StatelessClient<CountedAction>

/// Keeps the clients as the orchestrator hands them out.
@MainActor
@Observable
final class CountingContext: Context {
    nonisolated let identity: ComponentIdentity
    let guarded: AnyCountingClient
    let watched: AnyCountingClient

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        guarded = try scope.client(GuardedClient.self)
        watched = try scope.client(WatchedClient.self)
    }
}
