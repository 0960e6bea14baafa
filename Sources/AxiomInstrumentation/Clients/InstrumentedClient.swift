// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A client as contexts see it in the instrumented build: the client itself, with every action counted and timed.
///
/// `process` is nonisolated, so that the wrapper adds no hop to an actor of its own; the wrapped client's actor
/// still runs the action.
actor InstrumentedClient<Wrapped: Client>: Client {
    private let wrapped: Wrapped
    private let measurement: ClientMeasurement<Wrapped.ActionType>

    init(_ wrapped: Wrapped, _ measurement: ClientMeasurement<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.measurement = measurement
    }

    var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        if measurement.timesWait(call) { await measurement.timeWait(call, for: wrapped) }
        do {
            try await wrapped.process(action)
        } catch {
            measurement.failed(error, call)
            throw error
        }
        measurement.succeeded(call)
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

    init(_ wrapped: Wrapped, _ measurement: ClientMeasurement<Wrapped.ActionType>) {
        self.wrapped = wrapped
        self.measurement = measurement
    }

    nonisolated func process(_ action: Wrapped.ActionType) async throws {
        let call = try measurement.begin(action)
        if measurement.timesWait(call) { await measurement.timeWait(call, for: wrapped) }
        do {
            try await wrapped.process(action)
        } catch {
            measurement.failed(error, call)
            throw error
        }
        measurement.succeeded(call)
    }

    func activate() async throws {
        try await wrapped.activate()
    }

    func deactivate() async {
        await wrapped.deactivate()
    }
}
