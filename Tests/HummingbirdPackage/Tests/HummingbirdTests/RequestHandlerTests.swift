// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import Foundation
import Hummingbird
import Observation
import Testing

// The application of Documentation/servers.md.

struct StockState: OwnedState {
    var items: [String: Int] = [:]
}

enum StockAction: Action {
    case take(String)
}

struct OutOfStock: AxiomError {
    let item: String
    var code: ErrorCode { "SHOP_STOCK_001" }
    var message: String { "There is no \(item) left." }
    var recoverySuggestion: String { "Choose another item." }
}

actor StockClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<StockState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(StockState(items: ["tea": 3]))
    }

    var state: StockState { store.state }
    nonisolated var stateStream: StateStream<StockState> { store.stream }

    func process(_ action: StockAction) async throws {
        guard case .take(let item) = action else { return }
        guard let left = store.state.items[item], left > 0 else { throw OutOfStock(item: item) }
        store.update { $0.items[item] = left - 1 }
    }
}

@MainActor
@Observable
final class StockContext: Context {
    nonisolated let identity: ComponentIdentity
    private let stock: any Client<StockState, StockAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        stock = try scope.client(StockClient.self)
    }

    func handle(_ action: StockAction) async throws {
        try await stock.process(action)
    }

    /// Takes one of an item, and answers how many are left.
    func take(_ item: String) async throws -> Int {
        try await request(.take(item))
        return await stock.state.items[item] ?? 0
    }
}

/// A server shows nothing; the host keeps its context.
struct StockServer: Presentation {
    let context: StockContext
    var body: Int { 0 }
}

extension Router {
    /// Serves the stock.
    func serveStock(of context: StockContext) {
        post("/stock/{item}/take") { _, call in
            let item = try call.parameters.require("item")
            do {
                return String(try await context.take(item))
            } catch let error as OutOfStock {
                throw HTTPError(.conflict, message: error.message)
            }
        }
    }
}

/// Makes the context, and serves the stock by it. Unmount the host when the server has stopped.
@MainActor
func serveStock(
    on router: Router<BasicRequestContext>,
    by orchestrator: Orchestrator
) async throws -> PresentationHost<StockServer> {
    let host = PresentationHost(StockServer.self, orchestrator) { _ in }
    try await host.mount()
    if let context = host.context { router.serveStock(of: context) }
    return host
}

@MainActor
@Suite("A request handler that calls a client", .timeLimit(.minutes(2)))
struct RequestHandlerTests {
    @Test("Each of many requests at once gets its own answer, and each refusal is counted once")
    func answers() async throws {
        let telemetry = try Telemetry()
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(StockClient.self) { StockClient($0) }
        orchestrator.register(StockContext.self) { try StockContext($0) }
        try await orchestrator.start()
        let router = Router()
        let host = try await serveStock(on: router, by: orchestrator)
        try await LiveServer.serving(router) { server in
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let answer = try await server.send("/stock/tea/take", method: "POST")
                        return answer.status == 200 ? answer.text : "\(answer.status)"
                    }
                }
                var answers: [String] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            // An answer is the stock after its own change or a later one.
            let sold = answers.compactMap { Int($0) }.filter { $0 < 3 }
            #expect(sold.count == 3)
            #expect(sold.contains(0))
            #expect(answers.filter { $0 == "409" }.count == 7)
        }
        #expect(host.context?.errorBoundary.count == 7)
        await host.unmount()
        await orchestrator.shutdown()
    }

    @Test("The documentation shows the code that runs here")
    func documented() throws {
        let tests = URL(filePath: #filePath)
        let page = tests.appending(path: "../../../../../Documentation/servers.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let source = try String(contentsOf: tests, encoding: .utf8)
        for begin in ["@MainActor\n@Observable", "/// A server shows", "extension Router", "/// Makes the context"] {
            let start = try #require(source.firstRange(of: begin)).lowerBound
            let end = try #require(source[start...].firstRange(of: "\n}\n")).upperBound
            #expect(text.contains(source[start..<end]), "\(begin)")
        }
    }
}
