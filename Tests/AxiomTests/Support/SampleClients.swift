// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomResilience

struct TallyState: OwnedState {
    var value = 0
}

enum TallyAction: Action {
    case add(Int)
    case fail(String)
    case cancel
}

/// What a test makes fail, by name.
struct SampleError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A client whose actions count, fail or cancel.
actor TallyClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(TallyState())
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }

    func process(_ action: TallyAction) async throws {
        switch action {
        case .add(let number): store.update { $0.value += number }
        case .fail(let name): throw SampleError(name)
        case .cancel: throw Cancellation.onPurpose
        }
    }
}

/// A stand-in for ``TallyClient`` that holds one state and notes what it is asked.
actor TallyDouble: Client {
    nonisolated let stateStream: StateStream<TallyState>
    let state: TallyState
    let journal = Journal<String>()

    init(value: Int) {
        state = TallyState(value: value)
        stateStream = StateStore(state).stream
    }

    func process(_ action: TallyAction) async throws { journal.write("\(action)") }
}

enum PingAction: Action {
    case ping
}

/// A client without state, which writes its life into a journal.
actor PingClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        self.journal = journal
    }

    func process(_ action: PingAction) async throws { journal.write("ping") }
    func activate() async throws { journal.write("activate PingClient") }
    func deactivate() async { journal.write("deactivate PingClient") }
}
