// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomExporter
import AxiomInstrumentation
import AxiomLogging
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

struct StockState: OwnedState {
    var items: [String: Int] = [:]
}

enum StockAction: Action {
    typealias Answer = Int
    case take(String)
    case restock
}

struct OutOfStock: AxiomError {
    let item: String
    var language = "en"
    var code: ErrorCode { "SHOP_STOCK_001" }
    var message: String { language == "de" ? "Es gibt kein \(item) mehr." : "There is no \(item) left." }
    var recoverySuggestion: String { "Choose another item." }
}

actor StockClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<StockState>
    private let delivery: [String: Int]

    init(_ scope: borrowing ClientScope, delivery: [String: Int] = ["tea": 3]) {
        identity = scope.identity
        store = scope.store(StockState(items: delivery))
        self.delivery = delivery
    }

    var state: StockState { store.state }
    nonisolated var stateStream: StateStream<StockState> { store.stream }

    /// Answers how many are left.
    func process(_ action: StockAction) async throws -> Int {
        switch action {
        case .take(let item):
            guard let count = store.state.items[item], count > 0 else { throw OutOfStock(item: item) }
            store.update { $0.items[item] = count - 1 }
            return count - 1
        case .restock:
            store.update { $0.items = delivery }
            return delivery.values.reduce(0, +)
        }
    }
}

enum StockRequest: Action {
    typealias Answer = Int
    case take(String)
    case count(String)
    case restock
}

final class StockHandler: RequestHandler {
    let identity: ComponentIdentity
    private let stock: ClientOf<StockClient>

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        stock = try scope.client(StockClient.self)
    }

    func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {
        switch request {
        case .take(let item): try await stock.process(.take(item))
        case .count(let item): await stock.state.items[item] ?? 0
        case .restock: try await stock.process(.restock)
        }
    }
}

/// Runs the application from its start to its shutdown.
struct ApplicationService: Service {
    let orchestrator: Orchestrator

    func run() async throws {
        try await orchestrator.start()
        try? await gracefulShutdown()
        await orchestrator.shutdown()
    }
}

@main
struct StockServer {
    @MainActor
    static func main() async throws {
        let telemetry = try Telemetry()
        let logger = Logger(label: "stock")
        let log = LoggingInstrumentation(logger, telemetry)
        let orchestrator = Orchestrator(instrumentation: Instrumentations(telemetry, log), role: .application)
        orchestrator.register(StockClient.self) { StockClient($0) }
        let stock = orchestrator.register(StockHandler.self) { try StockHandler($0) }

        let router = Router()
        router.get("/health") { _, _ in "ok" }
        router.post("/stock/{item}/take") { _, call in
            String(try await stock.request(.take(call.parameters.require("item"))))
        }
        let services: [any Service] = [
            try Exporter(telemetry: telemetry),
            ApplicationService(orchestrator: orchestrator),
            Application(router: router),
        ]
        try await ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
    }
}
