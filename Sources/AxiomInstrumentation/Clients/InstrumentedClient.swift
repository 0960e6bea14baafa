// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A client as contexts see it in the instrumented build: the client itself, with every action counted and timed.
///
/// Nothing runs on the wrapper itself. `process` begins where its caller runs and enters the client's actor once, in
/// ``ClientMeasurement/run(_:on:timesEntry:)``, as a call of the client itself would; the call of the client that follows
/// finds itself on the actor. So the instants at which an action is on the actor cost no entry of their own, and actions
/// keep their order. What they are recorded in is touched by the caller, not by the actor.
actor InstrumentedClient<Wrapped: Client>: Client {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ measurement: ClientMeasurement<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.measurement = measurement
    }

    nonisolated var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        let passage = await measurement.run(action, on: wrapped, timesEntry: measurement.timesWait(call))
        try measurement.end(call, passage)
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

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        let passage = await measurement.run(action, on: wrapped, timesEntry: measurement.timesWait(call))
        try measurement.end(call, passage)
    }

    nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}
