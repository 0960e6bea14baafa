// SPDX-License-Identifier: Apache-2.0

internal import Axiom
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

    /// - Throws: ``PlannedFailure`` or a `CancellationError`.
    func perform(on state: inout CountedState) throws {
        state.performed[caseIndex] += 1
        switch self {
        case .add: state.value += 1
        case .remove: state.value -= 1
        case .fail: throw PlannedFailure()
        case .cancel: throw CancellationError()
        }
    }
}

struct PlannedFailure: Error {}

/// What a client counts itself.
struct CountedState: OwnedState {
    /// By the index of the action's case.
    var performed = [0, 0, 0, 0]
    var value = 0
}

typealias AnyCountedClient = any Client<CountedState, CountedAction>

/// A client whose circuit breaker opens.
actor GuardedClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private(set) var state = CountedState()

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    nonisolated var stateStream: StateStream<CountedState> { .just(CountedState()) }

    func process(_ action: CountedAction) throws { try action.perform(on: &state) }
}

/// A client whose circuit breaker only counts.
actor WatchedClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private(set) var state = CountedState()

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    nonisolated var stateStream: StateStream<CountedState> { .just(CountedState()) }

    func process(_ action: CountedAction) throws { try action.perform(on: &state) }
}

/// Keeps the clients as the orchestrator hands them out.
@MainActor
@Observable
final class CountedContext: Context {
    nonisolated let identity: ComponentIdentity
    let guarded: AnyCountedClient
    let watched: AnyCountedClient

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        guarded = try scope.client(GuardedClient.self)
        watched = try scope.client(WatchedClient.self)
    }
}
