// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A client as the shop's contexts get it: each call is counted in the ledger.
///
/// It stands outside of the framework's own instrumentation, so it also sees the calls that a circuit breaker refuses.
/// `process` runs where the caller runs, so no other work of that actor runs between the end of a call and its count.
actor CountedClient<S: OwnedState, A: Action>: Client {
    private let client: any Client<S, A>
    private let name: String
    private let calls: OutcomeTable
    private let onSuccess: @Sendable (A) -> Void

    init(
        _ client: any Client<S, A>,
        _ name: String,
        _ calls: OutcomeTable,
        onSuccess: @escaping @Sendable (A) -> Void = { _ in }
    ) {
        self.client = client
        self.name = name
        self.calls = calls
        self.onSuccess = onSuccess
    }

    nonisolated var state: S {
        get async { await client.state }
    }

    nonisolated var stateStream: StateStream<S> { client.stateStream }

    nonisolated(nonsending) func process(_ action: A) async throws -> A.Answer {
        calls.begin(name)
        do {
            let answer = try await client.process(action)
            calls.end(name, .success)
            onSuccess(action)
            return answer
        } catch {
            calls.end(name, Outcome(of: error))
            throw error
        }
    }
}

/// A stateless client as the shop's contexts get it: each call is counted in the ledger.
actor CountedStatelessClient<A: Action>: StatelessClient {
    private let client: any StatelessClient<A>
    private let name: String
    private let calls: OutcomeTable

    init(_ client: any StatelessClient<A>, _ name: String, _ calls: OutcomeTable) {
        self.client = client
        self.name = name
        self.calls = calls
    }

    nonisolated(nonsending) func process(_ action: A) async throws -> A.Answer {
        calls.begin(name)
        do {
            let answer = try await client.process(action)
            calls.end(name, .success)
            return answer
        } catch {
            calls.end(name, Outcome(of: error))
            throw error
        }
    }
}

extension Ledger {
    /// Counts the calls of `client`: for the factory of a context.
    ///
    /// - Parameters:
    ///   - type: The client's type, for its name.
    ///   - onSuccess: Receives each action that succeeded.
    func counted<S: OwnedState, A: Action>(
        _ client: any Client<S, A>,
        _ type: any Component.Type,
        onSuccess: @escaping @Sendable (A) -> Void = { _ in }
    ) -> any Client<S, A> {
        CountedClient(client, type.componentName, clients, onSuccess: onSuccess)
    }

    /// Counts the calls of a stateless client: for the factory of a context.
    ///
    /// - Parameter type: The client's type, for its name.
    func counted<A: Action>(
        stateless client: any StatelessClient<A>,
        _ type: any Component.Type
    ) -> any StatelessClient<A> {
        CountedStatelessClient(client, type.componentName, clients)
    }
}
