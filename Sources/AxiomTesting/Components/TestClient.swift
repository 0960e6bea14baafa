// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import Testing

/// A client whose state a test can set.
public protocol TestableClient<StateType, ActionType>: Client {
    /// Makes `state` the current state, and forgets what was recorded.
    func reset(to state: StateType) async
}

/// A double of a client: it records the actions, and has the states that the test gives it.
///
/// ```swift
/// let client = app.client(CartClient.self, CartState())     // in place of CartClient
/// client.on { action, state in if case .clear = action { state.items = [] } }
/// client.sends([.loading, .loaded], after: .seconds(1))      // at 1 s and at 2 s of the manual time
/// client.fails(next: 1, with: .timeout("GET /cart", after: .seconds(3)))
/// ```
/// Without ``on(_:)`` an action changes nothing. All functions may be called from any thread.
public actor TestClient<S: OwnedState, A: Action>: TestableClient {
    private typealias Handler = @Sendable (A, inout S) async throws -> A.Answer

    private struct Script: Sendable {
        var actions: [A] = []
        var history: [S]
        var failures: [any Error] = []
        var handler: Handler?
        var verified = 0
    }

    private nonisolated let store: StateStore<S>
    private nonisolated let script: Lock<Script>
    private nonisolated let clock: TimeSource
    private nonisolated let reporter: FailureReporter

    /// Makes a client in the state `initial`.
    ///
    /// ``TestOrchestrator/client(_:_:)`` makes one with the time of the application.
    ///
    /// - Parameters:
    ///   - initial: The first state.
    ///   - time: The time of ``sends(_:after:)``; by default a time of its own.
    ///   - reporter: Takes the failures.
    public init(_ initial: S, time: ManualTime = ManualTime(), reporter: FailureReporter = .testing) {
        self.reporter = reporter
        store = StateStore(initial)
        script = Lock(Script(history: [initial]))
        clock = .manual(time)
    }

    /// The current state.
    public var state: S { store.state }
    /// The states, for any number of subscribers.
    public nonisolated var stateStream: StateStream<S> { store.stream }

    /// The actions that were processed, the first one first.
    public nonisolated var actions: [A] { script.withLock { $0.actions } }
    /// The states that the client had since it was made or reset, the first one first.
    public nonisolated var history: [S] { script.withLock { $0.history } }

    /// Records the action, throws the next error of ``fails(next:with:sourceLocation:)``, or else runs the handler of ``on(_:)``
    /// and returns its answer. An action that has an answer needs a handler: without one the test fails.
    public func process(_ action: A) async throws -> A.Answer {
        let (error, handler) = script.withLock { script -> ((any Error)?, Handler?) in
            script.actions.append(action)
            return (script.failures.isEmpty ? nil : script.failures.removeFirst(), script.handler)
        }
        if let error { throw error }
        guard let handler else {
            if let nothing = () as? A.Answer { return nothing }
            throw MissingAnswer(action: "\(A.self)")
        }
        var state = store.state
        let answer = try await handler(action, &state)
        simulateState(state)
        return answer
    }

    /// Sets what an action does to the state, and what it answers.
    public nonisolated func on(
        _ handler: @escaping @Sendable (_ action: A, _ state: inout S) async throws -> A.Answer
    ) {
        script.withLock { $0.handler = handler }
    }

    /// Publishes a state, without an action.
    public nonisolated func simulateState(_ state: S, _ delivery: StateDelivery = .latest) {
        let isNew = store.update(delivery) { current -> Bool in
            defer { current = state }
            return current != state
        }
        if isNew { script.withLock { $0.history.append(state) } }
    }

    /// Lets the next actions fail.
    ///
    /// - Parameters:
    ///   - count: How many; 0 or more. A negative number is a failure of the test.
    ///   - error: What they throw.
    ///   - sourceLocation: Where a failure is reported.
    public nonisolated func fails(
        next count: Int = 1,
        with error: any Error,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard reporter.accepts(count, of: "fails(next: \(count))", at: sourceLocation) else { return }
        script.withLock { $0.failures += Array(repeating: error, count: count) }
    }

    /// Publishes states one after the other, each an interval after the one before.
    ///
    /// The task of the script is not followed: `TestOrchestrator.advance(by:)` does not wait until it sleeps, or until it
    /// has published what was due, and `finish()` does not report its rest. Call `ManualTime.waitForSleepers(_:)` before
    /// the time moves, and after it for the state that was due; for the last state, await the task. Give it one more than
    /// already sleep, such as 1 if nothing else does: it returns at once if as many sleep.
    ///
    /// ```swift
    /// let script = client.sends([first, last], after: .seconds(1))
    /// await app.time.waitForSleepers(1)
    /// await app.advance(by: .seconds(1))
    /// await app.time.waitForSleepers(1)
    /// await app.advance(by: .seconds(1))
    /// await script.value
    /// ```
    /// - Parameters:
    ///   - states: The states.
    ///   - interval: The manual time before each state.
    /// - Returns: The task that publishes them, to cancel the rest.
    @discardableResult
    public nonisolated func sends(_ states: [S], after interval: Duration) -> Task<Void, Never> {
        let start = clock.now
        return Task { [self, clock] in
            for (index, state) in states.enumerated() {
                guard (try? await clock.sleep(until: start.advanced(by: interval * (index + 1)))) != nil else { return }
                simulateState(state)
            }
        }
    }

    /// Makes `state` the current state, and forgets the recorded actions and states, the handler and the failures.
    public nonisolated func reset(to state: S) {
        store.update { $0 = state }
        script.withLock { $0 = Script(history: [state]) }
    }
}

/// A double has no answer to an action.
private struct MissingAnswer: Error, CustomStringConvertible {
    let action: String

    var description: String { "\(action) has an answer, but the double has none: set one with on(_:)." }
}

extension TestClient {
    /// Whether an action was recorded that `predicate` accepts.
    public nonisolated func verifyAction(_ predicate: (A) -> Bool) -> Bool {
        actions.contains(where: predicate)
    }

    /// Compares the actions that were recorded since the last call.
    ///
    /// - Parameter expected: All of them, in order.
    public nonisolated func expectActions(_ expected: [A], sourceLocation: SourceLocation = #_sourceLocation)
    where A: Equatable {
        let actual = script.withLock { script in
            defer { script.verified = script.actions.count }
            return Array(script.actions[script.verified...])
        }
        guard actual != expected else { return }
        let text = difference(expected: expected, actual: actual)
        reporter.fail("The client got other actions than expected:\n\n\(text)", at: sourceLocation)
    }
}
