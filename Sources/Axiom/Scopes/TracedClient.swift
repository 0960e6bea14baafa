// SPDX-License-Identifier: Apache-2.0

/// A client as contexts see it where no instrumentation wraps it: errors that pass are noted on the ``ErrorTrail``.
///
/// Its functions run where the caller does, so that the wrapper adds no hop to an actor of its own, and nothing to a
/// success but one call.
actor TracedClient<Wrapped: Client>: Client {
    private let wrapped: Wrapped
    private let component: ComponentDescriptor

    init(_ wrapped: Wrapped, _ component: ComponentDescriptor) {
        self.wrapped = wrapped
        self.component = component
    }

    nonisolated var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        do {
            try await wrapped.process(action)
        } catch {
            ErrorTrail.noteFailure(error, from: component)
            throw error
        }
    }

    nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}

/// A stateless client as contexts see it where no instrumentation wraps it. See ``TracedClient``.
actor TracedStatelessClient<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped
    private let component: ComponentDescriptor

    init(_ wrapped: Wrapped, _ component: ComponentDescriptor) {
        self.wrapped = wrapped
        self.component = component
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        do {
            try await wrapped.process(action)
        } catch {
            ErrorTrail.noteFailure(error, from: component)
            throw error
        }
    }

    nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}
