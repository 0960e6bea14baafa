// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import CPlantedCode
internal import Observation

/// A piece of work of an action.
enum PlantedPart: Sendable {
    /// Runs where the action runs.
    case now(@Sendable () -> UInt64)
    case later(@Sendable () async -> UInt64)
}

/// What an action does, within some spans of its own.
struct PlantedCall: Sendable {
    /// The component whose operation is measured.
    enum Place: String, Sendable {
        case context = "PlantedContext"
        case client = "PlantedClient"
        case capability = "PlantedCapability"
    }

    let place: Place
    let parts: [PlantedPart]
    let spans: Int

    /// Uses a result, so that the compiler neither removes nor moves what makes it.
    static func consume(_ value: UInt64) { planted_keep(value) }

    func perform(_ telemetry: Telemetry, isolation: isolated (any Actor)? = #isolation) async {
        await perform(telemetry, within: spans)
    }

    private func perform(_ telemetry: Telemetry, within spans: Int, isolation: isolated (any Actor)? = #isolation) async
    {
        if spans > 0 {
            return await telemetry.span("part \(spans % 3)") { await perform(telemetry, within: spans - 1) }
        }
        for part in parts {
            switch part {
            case .now(let work): Self.consume(work())
            case .later(let work): Self.consume(await work())
            }
        }
    }
}

/// The measured action is `hot`; the others run at the same time.
enum PlantedAction: Axiom.Action {
    case hot(PlantedCall)
    case warm(PlantedCall)

    static let caseNames = ["hot", "warm"]

    var caseIndex: Int {
        if case .hot = self { 0 } else { 1 }
    }

    var call: PlantedCall {
        switch self {
        case .hot(let call), .warm(let call): call
        }
    }
}

actor PlantedCapability: Capability {
    nonisolated let identity: ComponentIdentity
    private let telemetry: Telemetry

    init(_ scope: borrowing CapabilityScope, _ telemetry: Telemetry) {
        (identity, self.telemetry) = (scope.identity, telemetry)
    }

    func perform(_ call: PlantedCall) async { await call.perform(telemetry) }
}

actor PlantedClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<PlantedCapability>
    private let telemetry: Telemetry

    init(_ scope: borrowing ClientScope, _ telemetry: Telemetry) throws {
        (identity, self.telemetry) = (scope.identity, telemetry)
        capability = try scope.capability(PlantedCapability.self)
    }

    func process(_ action: PlantedAction) async throws {
        let call = action.call
        guard call.place == .capability else { return await call.perform(telemetry) }
        try await capability.call("hot") { await $0.perform(call) }
    }
}

/// What runs at the same time.
actor OtherClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let telemetry: Telemetry

    init(_ scope: borrowing ClientScope, _ telemetry: Telemetry) {
        (identity, self.telemetry) = (scope.identity, telemetry)
    }

    func process(_ action: PlantedAction) async { await action.call.perform(telemetry) }
}

@MainActor
@Observable
final class PlantedContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<PlantedAction>
    @ObservationIgnored let other: any StatelessClient<PlantedAction>
    @ObservationIgnored private let telemetry: Telemetry

    init(_ scope: borrowing ContextScope, _ telemetry: Telemetry) throws {
        (identity, self.telemetry) = (scope.identity, telemetry)
        (client, other) = (try scope.client(PlantedClient.self), try scope.client(OtherClient.self))
    }

    func handle(_ action: PlantedAction) async throws {
        if case .warm = action { return try await other.process(action) }
        guard action.call.place != .context else { return await action.call.perform(telemetry) }
        try await client.process(action)
    }
}

/// An application whose action is measured.
@MainActor
struct PlantedApplication {
    /// Lives as long as what it made.
    private let orchestrator: Orchestrator
    let context: PlantedContext

    static func start(_ telemetry: Telemetry) async throws -> PlantedApplication {
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(PlantedCapability.self) { PlantedCapability($0, telemetry) }
        orchestrator.register(PlantedClient.self) { try PlantedClient($0, telemetry) }
        orchestrator.register(OtherClient.self) { OtherClient($0, telemetry) }
        orchestrator.register(PlantedContext.self) { try PlantedContext($0, telemetry) }
        try await orchestrator.start()
        return PlantedApplication(
            orchestrator: orchestrator,
            context: try orchestrator.makeContext(PlantedContext.self)
        )
    }

    func shutdown() async { await orchestrator.shutdown() }
}
