// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
package import AxiomResilience

/// The client that contexts hold. It passes actions through circuit breakers, calls the client itself, notes errors on
/// the ``ErrorTrail`` and reports actions to a ``ClientProbe``.
///
/// Nothing runs on this actor. `process` starts on the caller's actor and enters the client's actor once, in
/// ``ClientCalls/run(_:on:_:)``, as a direct call of the client would. The next call is then already on that
/// actor. Actions therefore keep their order, and the timestamps at which an action enters and leaves the actor need no
/// separate entry. The caller records them after it has left the actor.
package actor ObservedClient<Wrapped: StatelessClient>: StatelessClient {
    /// Which path an action takes. One comparison chooses the most frequent one.
    private enum Path {
        case recorded
        case unrecorded
        /// The client has a ``CallPolicy``.
        case byPolicy
    }

    package let wrapped: Wrapped
    private let path: Path
    /// Whether actions pass a probe or circuit breakers. Without the trait `Instrumented` only tests pass probes.
    let isObserved: Bool
    /// Used only if the calls are observed or guarded. Not optional: an optional would be retained for each call.
    let calls: ClientCalls<Wrapped.ActionType>
    nonisolated let policy: CallPolicy<Wrapped.ActionType>?

    /// - Parameters:
    ///   - component: The client's descriptor, under which its errors are noted.
    ///   - probe: Receives the calls; nil to report none.
    ///   - breakers: The circuit breakers that must all admit an action.
    ///   - spans: Records the calls as spans; nil to record none. Used only with a probe.
    ///   - faults: Injects faults into the calls; nil to inject none. Used only with a probe.
    package init(
        _ wrapped: Wrapped,
        _ component: ComponentDescriptor,
        probe: (any ClientProbe)?,
        clock: TimeSource,
        breakers: [CircuitBreaker] = [],
        spans: ClientSpans? = nil,
        faults: FaultGate? = nil
    ) {
        let gate = BreakerGate(breakers)
        self.init(wrapped, component, probe: probe, clock: clock, gate, spans: spans, policy: nil, faults: faults)
    }

    /// - Parameters:
    ///   - gate: The circuit breakers; shared by all wrappers of the client.
    ///   - policy: What is done around each action; shared by all wrappers of the client.
    init(
        _ wrapped: Wrapped,
        _ component: ComponentDescriptor,
        probe: (any ClientProbe)?,
        clock: TimeSource,
        _ gate: BreakerGate,
        spans: ClientSpans?,
        policy: CallPolicy<Wrapped.ActionType>?,
        faults: FaultGate? = nil
    ) {
        self.wrapped = wrapped
        self.policy = policy
        isObserved = probe != nil || !gate.isEmpty
        path = policy != nil ? .byPolicy : isObserved ? .recorded : .unrecorded
        calls = ClientCalls(probe ?? NoCalls.probe, component, clock: clock, gate: gate, spans: spans, faults: faults)
    }

    nonisolated var component: ComponentDescriptor { calls.component }

    // Inlined into the witness, with what runs on the actor: each function in between takes a stack frame of the task, and looks
    // at the executor.
    @inline(__always)
    package nonisolated(nonsending) func process(
        _ action: Wrapped.ActionType
    ) async throws -> Wrapped.ActionType.Answer {
        guard path == .recorded else { return try await processOther(action) }
        var call = try calls.begin(action)
        if calls.bindsSpans { return try await processInSpan(action, call) }
        var passage = ClientPassage(call)
        // Not after an answer in a variable: its type would be looked up for each action.
        defer { calls.end(&call, passage) }
        do {
            guard calls.isDirect(call) else {
                return try await calls.run(action, on: wrapped, timesEntry: calls.timesWait(call), &passage)
            }
            return try await calls.run(action, on: wrapped, &passage)
        } catch {
            passage.error = error
            throw error
        }
    }

    /// Binds a span around the action, so that the capabilities that it calls can be its children.
    @inline(__always)
    private nonisolated(nonsending) func processInSpan(
        _ action: Wrapped.ActionType,
        _ call: consuming ClientCall
    ) async throws -> Wrapped.ActionType.Answer {
        let (span, context) = calls.beginSpan(call)
        var passage = ClientPassage(call)
        defer { calls.end(&call, passage, span) }
        do {
            guard calls.isDirect(call), !calls.hasBinding else {
                let timesEntry = calls.timesWait(call)
                return try await calls.runBound(action, on: wrapped, in: context, timesEntry: timesEntry, &passage)
            }
            context.push()
            defer { OperationContext.pop() }
            return try await calls.run(action, on: wrapped, &passage)
        } catch {
            passage.error = error
            throw error
        }
    }

    private nonisolated(nonsending) func processOther(
        _ action: Wrapped.ActionType
    ) async throws -> Wrapped.ActionType.Answer {
        if let policy { return try await process(action, by: policy) }
        do {
            return try await wrapped.process(action)
        } catch {
            ErrorTrail.noteFailure(error, from: component)
            throw error
        }
    }

    /// The executor of the client, because an actor with one of its own is 96 bytes larger.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { wrapped.unownedExecutor }
}

extension ObservedClient: WrappingClient {}
extension ObservedClient: Client where Wrapped: Client {}

/// The client that contexts hold if nothing observes its actions and nothing is done around them. It notes errors on
/// the ``ErrorTrail``. Nothing runs on this actor, like on an ``ObservedClient``.
actor UnobservedClient<Wrapped: StatelessClient>: StatelessClient {
    let wrapped: Wrapped
    /// Knows the name of the client.
    private let stores: ClientStores

    init(_ wrapped: Wrapped, _ stores: ClientStores) {
        self.wrapped = wrapped
        self.stores = stores
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { wrapped.unownedExecutor }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws -> Wrapped.ActionType.Answer {
        do {
            return try await wrapped.process(action)
        } catch {
            ErrorTrail.noteFailure(error, from: stores.component)
            throw error
        }
    }
}

extension UnobservedClient: WrappingClient {}
extension UnobservedClient: Client where Wrapped: Client {}

/// A client that processes actions itself and passes everything else to the client that it wraps.
package protocol WrappingClient<Wrapped>: StatelessClient {
    associatedtype Wrapped: StatelessClient

    nonisolated var wrapped: Wrapped { get }
}

extension WrappingClient {
    package nonisolated func activate() async throws { try await wrapped.activate() }

    package nonisolated func deactivate() async { await wrapped.deactivate() }
}

extension WrappingClient where Wrapped: Client {
    package nonisolated var state: Wrapped.StateType { get async { await wrapped.state } }

    package nonisolated var stateStream: StateStream<Wrapped.StateType> { wrapped.stateStream }
}
