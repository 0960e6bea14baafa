// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import Observation

/// A way to answer requests.
struct RateWay: Sendable {
    let name: String
    let answer: @Sendable ([UInt8]) async throws -> String
}

/// All ways, each with state of its own.
@MainActor
struct RateWays {
    /// The first one is what the others are compared with.
    let all: [RateWay]
    /// They live as long as their components.
    private let orchestrators: [Orchestrator]

    static func start(_ work: RateWork) async throws -> RateWays {
        let (first, second) = (try makeOrchestrator(), try makeOrchestrator())
        let endpoint = first.register(RateHandler.self) { try RateHandler($0, work) }
        second.register(RateContext.self) { try RateContext($0, work) }
        for orchestrator in [first, second] { try await orchestrator.start() }
        let context = try second.makeContext(RateContext.self)
        let plain = PlainHandler(work: work)
        let origin = RequestOrigin(
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            timeLimit: .seconds(5)
        )
        return RateWays(
            all: [
                RateWay(name: "plain actors") { try await plain.answer($0) },
                RateWay(name: "context on the main actor") { try await context.request(.order($0)) },
                RateWay(name: "Endpoint.request") { try await endpoint.request(.order($0)) },
                RateWay(name: "the same, caller's trace, deadline") {
                    try await endpoint.request(.order($0), from: origin)
                },
            ],
            orchestrators: [first, second]
        )
    }

    private static func makeOrchestrator() throws -> Orchestrator {
        let orchestrator = Orchestrator(instrumentation: try Telemetry())
        orchestrator.register(RateClient.self) { RateClient($0) }
        return orchestrator
    }
}

enum RateChange: Axiom.Action {
    typealias Answer = Int
    case add(String, Int)
    static let caseNames = ["add"]
    var caseIndex: Int { 0 }
}

/// Without a state that it publishes, because plain actors have none.
actor RateClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private var totals = RateTotals()

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: RateChange) throws -> Int {
        guard case .add(let item, let count) = action else { return 0 }
        return totals.add(item, count)
    }
}

/// A body without the form of an order.
struct UnreadableOrder: Error {}

enum RateRequest: Axiom.Action {
    typealias Answer = String
    case order([UInt8])
    static let caseNames = ["order"]
    var caseIndex: Int { 0 }
}

final class RateHandler: RequestHandler {
    let identity: ComponentIdentity
    private let work: RateWork
    private let orders: any StatelessClient<RateChange>

    init(_ scope: borrowing HandlerScope, _ work: RateWork) throws {
        (identity, self.work) = (scope.identity, work)
        orders = try scope.client(RateClient.self)
    }

    func handle(_ request: RateRequest, in scope: borrowing WorkScope) async throws -> String {
        guard case .order(let body) = request, let order = work.order(body) else { throw UnreadableOrder() }
        return try work.answer(order, try await orders.process(.add(order.item, order.count)))
    }
}

@MainActor
@Observable
final class RateContext: Context {
    nonisolated let identity: ComponentIdentity
    private let work: RateWork
    private let orders: any StatelessClient<RateChange>

    init(_ scope: borrowing ContextScope, _ work: RateWork) throws {
        (identity, self.work) = (scope.identity, work)
        orders = try scope.client(RateClient.self)
    }

    func handle(_ action: RateRequest) async throws -> String {
        guard case .order(let body) = action, let order = work.order(body) else { throw UnreadableOrder() }
        return try work.answer(order, try await orders.process(.add(order.item, order.count)))
    }
}

/// The same without Axiom.
struct PlainHandler: Sendable {
    private actor Orders {
        private var totals = RateTotals()

        func add(_ item: String, _ count: Int) throws -> Int { totals.add(item, count) }
    }

    let work: RateWork
    private let orders = Orders()

    func answer(_ body: [UInt8]) async throws -> String {
        guard let order = work.order(body) else { throw UnreadableOrder() }
        return try work.answer(order, try await orders.add(order.item, order.count))
    }
}
