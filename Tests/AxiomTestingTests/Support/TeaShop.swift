// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Observation

// A small shop, as an application would write it.

struct Tea: Hashable, Sendable, Identifiable {
    let id: Int
    var name: String
}

protocol TeaService: Actor {
    func teas(_ page: Int) async throws -> [Tea]
}

actor FakeTeaService: TeaService, MockCapability {
    nonisolated let identity: ComponentIdentity
    nonisolated let simulation: Simulation

    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
        (identity, self.simulation) = (scope.identity, simulation)
        simulation.connect(scope)
    }

    func teas(_ page: Int) async throws -> [Tea] {
        try await simulation.answer(to: page)
    }
}

struct TeaState: OwnedState {
    var teas: [Tea] = []
    var loads = 0
}

enum TeaAction: Action {
    case load
    case add(Tea)
    case fail
    case remind
}

actor TeaClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let service: CapabilityRef<any TeaService>
    private let store: StateStore<TeaState>
    private let clock: TimeSource

    init(_ scope: borrowing ClientScope, _ clock: TimeSource) throws {
        identity = scope.identity
        service = try scope.capability((any TeaService).self)
        store = scope.store(TeaState())
        self.clock = clock
    }

    var state: TeaState { store.state }
    nonisolated var stateStream: StateStream<TeaState> { store.stream }

    func process(_ action: TeaAction) async throws {
        switch action {
        case .load:
            let teas = try await service.call { try await $0.teas(1) }
            store.update {
                $0.teas = teas
                $0.loads += 1
            }
        case .add(let tea): store.update { $0.teas.append(tea) }
        case .fail: throw NetworkError.timeout("GET /teas", after: .seconds(3))
        case .remind:
            Task {
                try await clock.sleep(for: .seconds(60))
                store.update { $0.loads = 0 }
            }
        }
    }
}

/// Something outside of the test, which the kit does not know. It ends when the test finishes `arrival`.
struct Delivery: Sendable, CustomStringConvertible {
    let stream: AsyncStream<Void>
    let arrival: AsyncStream<Void>.Continuation
    var description: String { "delivery" }

    init() { (stream, arrival) = AsyncStream.makeStream() }
}

enum TeaContextAction: Action {
    case load
    case add(Tea)
    case rename(String)
    case slowly(Duration)
    case fail
    case remind
    case leak
    case outside(until: Delivery)
}

@MainActor
@Observable
final class TeaContext: Context {
    nonisolated let identity: ComponentIdentity
    private let client: any Client<TeaState, TeaAction>
    private(set) var teas: [Tea] = []
    private(set) var title = "Teas"
    private(set) var isLoading = false
    var count: Int { teas.count }
    @ObservationIgnored let clock: TimeSource
    private static var leaked: [ObjectIdentifier: TeaContext] = [:]

    init(_ scope: borrowing ContextScope, _ clock: TimeSource) throws {
        identity = scope.identity
        client = try scope.client(TeaClient.self)
        self.clock = clock
    }

    func onAppear() async throws {
        observe(client) { $0.teas = $1.teas }
    }

    func onDisappear() async throws {
        if title == "Closing" { try await clock.sleep(for: .seconds(1)) }
    }

    func handle(_ action: TeaContextAction) async throws {
        switch action {
        case .load:
            isLoading = true
            defer { isLoading = false }
            try await client.process(.load)
        case .add(let tea): try await client.process(.add(tea))
        case .rename(let title): self.title = title
        case .slowly(let duration):
            title = "…"
            try await clock.sleep(for: duration)
            title = "Slow teas"
        case .fail: try await client.process(.fail)
        case .remind: try await client.process(.remind)
        case .outside(let delivery): for await _ in delivery.stream {}
        case .leak: Self.leaked[ObjectIdentifier(self)] = self
        }
    }

    static func forgetAll() { leaked = [:] }
}

@MainActor
struct TeaView: Presentation {
    let context: TeaContext
    var body: String { "\(context.title): \(context.teas.map(\.name).joined(separator: ", "))" }
}

extension TestOrchestrator {
    /// The shop with a simulated service that has one tea.
    @MainActor
    static func teaShop(_ exhaustivity: Exhaustivity = .on) -> (app: TestOrchestrator, service: Simulation) {
        let app = TestOrchestrator(exhaustivity: exhaustivity)
        let clock = TimeSource.manual(app.time)
        app.orchestrator.register(TeaClient.self) { try TeaClient($0, clock) }
        app.orchestrator.register(TeaContext.self) { try TeaContext($0, clock) }
        let service = app.simulate((any TeaService).self, as: FakeTeaService.self)
        service.on("teas", answer: [Tea.green])
        return (app, service)
    }
}

extension Tea {
    static let green = Tea(id: 1, name: "Green")
    static let black = Tea(id: 2, name: "Black")
}
