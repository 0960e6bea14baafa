// SPDX-License-Identifier: Apache-2.0

import Axiom

/// The least a client can do, so that what surrounds the call is what is measured.
actor TallyClient: Client, Component {
    struct State: OwnedState {
        var count = 0
    }

    enum Action: Axiom.Action {
        case increment

        static let caseNames = ["increment"]

        var caseIndex: Int { 0 }
    }

    nonisolated let identity: ComponentIdentity
    private(set) var state = State()

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    nonisolated var stateStream: StateStream<State> {
        .just(State())
    }

    func process(_ action: Action) {
        state.count &+= 1
    }
}

/// A wrapper that does nothing: what any wrapper costs at least.
actor EmptyWrapper<Wrapped: Client>: Client {
    private let wrapped: Wrapped

    init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        try await wrapped.process(action)
    }
}
