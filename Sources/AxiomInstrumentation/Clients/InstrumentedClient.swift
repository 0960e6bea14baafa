// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A client as contexts see it in the instrumented build: the client itself, with every action counted and timed.
///
/// `process` is nonisolated, so that the wrapper adds no hop to an actor of its own; the wrapped client's actor
/// still runs the action.
actor InstrumentedClient<Wrapped: Client>: Client {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ component: ComponentDescriptor, recorder: ClientRecorder, clock: TimeSource) {
        self.wrapped = wrapped
        measurement = ClientMeasurement(component: component, recorder: recorder, clock: clock)
    }

    var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated func process(_ action: Wrapped.ActionType) async throws {
        let start = measurement.begin()
        do {
            try await wrapped.process(action)
            measurement.succeeded(action, since: start)
        } catch {
            measurement.failed(action, error, since: start)
            throw error
        }
    }

    func activate() async throws {
        try await wrapped.activate()
    }

    func deactivate() async {
        await wrapped.deactivate()
    }
}

/// A stateless client as contexts see it in the instrumented build. See ``InstrumentedClient``.
actor InstrumentedStatelessClient<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ component: ComponentDescriptor, recorder: ClientRecorder, clock: TimeSource) {
        self.wrapped = wrapped
        measurement = ClientMeasurement(component: component, recorder: recorder, clock: clock)
    }

    nonisolated func process(_ action: Wrapped.ActionType) async throws {
        let start = measurement.begin()
        do {
            try await wrapped.process(action)
            measurement.succeeded(action, since: start)
        } catch {
            measurement.failed(action, error, since: start)
            throw error
        }
    }

    func activate() async throws {
        try await wrapped.activate()
    }

    func deactivate() async {
        await wrapped.deactivate()
    }
}
