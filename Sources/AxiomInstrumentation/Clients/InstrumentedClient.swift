// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A client as contexts see it in the instrumented build: the client itself, with every action counted and timed.
///
/// The wrapper has no executor of its own: it takes that of the client. `process` begins where its caller runs and enters
/// the client's actor once, in ``run(_:timesEntry:)``, as a call of the client itself would; the call of the client that
/// follows finds itself on the actor. So the instants at which an action is on the actor cost no entry of their own, and
/// actions keep their order. What they are recorded in is touched by the caller, not by the actor.
actor InstrumentedClient<Wrapped: Client>: Client {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ measurement: ClientMeasurement<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.measurement = measurement
    }

    /// That of the client, which lives as long as the wrapper.
    nonisolated var unownedExecutor: UnownedSerialExecutor { wrapped.unownedExecutor }

    nonisolated var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        let passage = await run(action, timesEntry: measurement.timesWait(call))
        try measurement.end(call, passage)
    }

    private func run(_ action: Wrapped.ActionType, timesEntry: Bool) async -> ActorPassage {
        let entry = timesEntry ? measurement.now : nil
        do {
            try await wrapped.process(action)
        } catch {
            return ActorPassage(entry: entry, end: measurement.now, error: error)
        }
        return ActorPassage(entry: entry, end: measurement.now, error: nil)
    }

    nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}

/// A stateless client as contexts see it in the instrumented build. See ``InstrumentedClient``.
actor InstrumentedStatelessClient<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ measurement: ClientMeasurement<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.measurement = measurement
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { wrapped.unownedExecutor }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        let passage = await run(action, timesEntry: measurement.timesWait(call))
        try measurement.end(call, passage)
    }

    private func run(_ action: Wrapped.ActionType, timesEntry: Bool) async -> ActorPassage {
        let entry = timesEntry ? measurement.now : nil
        do {
            try await wrapped.process(action)
        } catch {
            return ActorPassage(entry: entry, end: measurement.now, error: error)
        }
        return ActorPassage(entry: entry, end: measurement.now, error: nil)
    }

    nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}

/// What is known about an action when it leaves its client's actor.
struct ActorPassage: Sendable {
    /// When it entered; nil where its wait is not timed.
    let entry: Instant?
    let end: Instant
    /// What the client threw.
    let error: (any Error)?
}
