// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import Testing

@testable import AxiomInstrumentation

private struct Shortage: Error {}

private enum StockAction: Action {
    typealias Answer = Int

    case take
    case fail
}

private actor StockClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private var left = 100

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: StockAction) async throws -> Int {
        if case .fail = action { throw Shortage() }
        left -= 1
        return left
    }
}

private enum StockRequest: Action {
    typealias Answer = String

    case take
    case fail
    case outgoing
}

private final class StockHandler: RequestHandler {
    let identity: ComponentIdentity
    private let stock: any StatelessClient<StockAction>

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        stock = try scope.client(StockClient.self)
    }

    func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> String {
        switch request {
        case .take: return "\(try await stock.process(.take))"
        case .fail: return "\(try await stock.process(.fail))"
        case .outgoing: return work.traceparent ?? ""
        }
    }
}

@MainActor
@Suite("What is recorded of requests", .timeLimit(.minutes(10)))
struct RequestMetricsTests {
    private let telemetry: Telemetry
    private let orchestrator: Orchestrator
    private let endpoint: Endpoint<StockHandler>

    init() throws {
        telemetry = try Telemetry()
        orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(StockClient.self) { StockClient($0) }
        endpoint = orchestrator.register(StockHandler.self) { try StockHandler($0) }
    }

    private static let caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("Requests are counted by handler, route and outcome, timed, and none is left in flight")
    func families() async throws {
        try await orchestrator.start()
        for _ in 0..<3 { _ = try await endpoint.request(.take) }
        await #expect(throws: Shortage.self) { try await endpoint.request(.fail) }
        let snapshot = telemetry.registry.collect()
        func value(_ name: String, _ labels: [String: String]) -> Double? { snapshot.value(name, labels) }
        let handler = "StockHandler"
        func total(_ route: String, _ outcome: String) -> Double? {
            value("axiom_requests_total", ["handler": handler, "route": route, "outcome": outcome])
        }
        #expect(total("take", "success") == 3)
        #expect(total("fail", "failure") == 1)
        #expect(total("outgoing", "success") == 0)
        #expect(value("axiom_requests_in_flight", ["handler": handler]) == 0)
        #expect(value("axiom_request_duration_seconds", ["handler": handler, "route": "take"]) == 3)
        #expect(value("axiom_request_wait_seconds", ["handler": handler]) == 4)
        #expect(telemetry.readings.traffic.keys.contains { $0.from.kind == .request && $0.to.name == "StockClient" })
        await orchestrator.shutdown()
    }

    @Test("The spans of a request belong to the trace of its caller, and two requests of one trace stay apart")
    func remoteTrace() async throws {
        try await orchestrator.start()
        for _ in 0..<2 {
            await #expect(throws: Shortage.self) {
                try await endpoint.request(.fail, from: RequestOrigin(traceparent: Self.caller))
            }
        }
        let id = try #require(TraceID("0af7651916cd43dd8448eb211c80319c"))
        let roots = telemetry.readings.knownSpans?.keptRoots ?? []
        #expect(roots.map(\.trace) == [id, id])
        #expect(roots.map(\.kind) == [.request, .request])
        #expect(roots.map(\.remoteParent) == [0xb7ad_6b71_6920_3331, 0xb7ad_6b71_6920_3331])
        let trace = try #require(telemetry.trace(id))
        #expect(trace.id == id)
        #expect(trace.spans.map(\.kind) == [.request, .clientAction, .request, .clientAction])
        await orchestrator.shutdown()
    }

    @Test("An outgoing call carries on the trace of the caller, or that of the request")
    func outgoing() async throws {
        try await orchestrator.start()
        let carried = try await endpoint.request(.outgoing, from: RequestOrigin(traceparent: Self.caller))
        #expect(carried.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
        #expect(!carried.contains("b7ad6b7169203331"))
        let own = try await endpoint.request(.outgoing)
        #expect(own.count == 55 && own.hasSuffix("-01"))
        #expect(own.split(separator: "-").count == 4)
        await orchestrator.shutdown()
    }

    @Test("A recorder knows the open remote traces, and about the latest 4,096 of those that ended, kept or not")
    func bound() throws {
        let remotes = RemoteTraces()
        for trace in 1...UInt64(20_000) {
            let context = SpanContext(trace: trace, span: 1, record: 0, subject: 9)
            remotes.add(try #require(RemoteParent(context)), of: trace)
        }
        #expect(remotes.all.count == 20_000)
        for trace in 1...UInt64(20_000) { remotes.ended(trace, isKept: trace % 10 == 0) }
        // 2,000 were kept, and of 18,000 others the latest are known.
        #expect((2_000 + RemoteTraces.limit * 9 / 10...2_000 + RemoteTraces.limit).contains(remotes.all.count))
        #expect((17_000...20_000).allSatisfy { remotes.parent(of: $0)?.trace == TraceID(high: 9, low: $0) })
        #expect(remotes.all[10]?.trace == TraceID(high: 9, low: 10) && remotes.all[11] == nil)
        #expect(remotes.parent(of: 11) == nil)
        #expect(RemoteParent(.none) == nil)
    }
}
#endif
