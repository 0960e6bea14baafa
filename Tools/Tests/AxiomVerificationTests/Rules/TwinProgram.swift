// SPDX-License-Identifier: Apache-2.0

/// The good twin of all rules: a small shop without findings.
enum TwinProgram {
    static let text = """
        import Axiom
        import AxiomNavigation
        import Foundation
        import Observation

        struct Line: Hashable, Sendable {
            var article: String
        }

        struct CartState: OwnedState {
            var lines: [Line] = []
            var note = ""

            static func == (left: CartState, right: CartState) -> Bool {
                left.lines == right.lines && left.note == right.note
            }
        }

        struct PriceState: OwnedState {
            var cents = 0
        }

        enum CartAction: Action {
            case add(Line)
            case clear

            static let caseNames = ["add", "clear"]

            var caseIndex: Int {
                switch self {
                case .add: 0
                case .clear: 1
                }
            }
        }

        struct PriceAction: Action {
            let article: String
        }

        protocol Network: Sendable {
            func send(_ text: String) async throws
        }

        actor HTTPNetwork: Capability, Network {
            nonisolated let identity: ComponentIdentity
            private let clock: CapabilityRef<Clock>

            init(_ scope: borrowing CapabilityScope) throws {
                identity = scope.identity
                clock = try scope.capability(Clock.self)
            }

            func send(_ text: String) async throws {}
        }

        actor Clock: Capability {
            nonisolated let identity: ComponentIdentity
            private let limit = 10

            init(_ scope: borrowing CapabilityScope) {
                identity = scope.identity
            }
        }

        final class Registry {
            static let shared = Registry()
        }

        var launches = 0

        actor CartClient: Client, Component {
            static let limit = 10
            nonisolated let identity: ComponentIdentity
            private let store: StateStore<CartState>
            private let network: CapabilityRef<any Network>
            private let (ticks, ticking) = AsyncStream.makeStream(of: Int.self)
            private var count = 0

            init(_ scope: borrowing ClientScope) throws {
                identity = scope.identity
                store = scope.store(CartState())
                network = try scope.capability((any Network).self)
            }

            var state: CartState { store.state }
            nonisolated var stateStream: StateStream<CartState> { store.stream }

            func process(_ action: CartAction) async throws {
                count += 1
                try await upload()
                do {
                    try await network.call { try await $0.send("cart") }
                } catch {
                    throw error
                }
                let note = store.state.note
                guard note.isEmpty else { return }
                try await Task { try await upload() }.value
                store.update { $0.note = "" }
                store.update { $0.lines = [] }
            }

            private func upload() async throws {
                try await network.call { try await $0.send("cart") }
            }

            private func clear() {
                store.update { $0.lines = [] }
            }

            func deactivate() async {
                ticking.finish()
            }
        }

        actor PriceClient: Client, Component {
            nonisolated let identity: ComponentIdentity
            private let store: StateStore<PriceState>

            init(_ scope: borrowing ClientScope) {
                identity = scope.identity
                store = scope.store(PriceState())
            }

            var state: PriceState { store.state }
            nonisolated var stateStream: StateStream<PriceState> { store.stream }
            func process(_ action: PriceAction) async throws {}
        }

        @MainActor
        @Observable
        final class PriceContext: Context {
            nonisolated let identity: ComponentIdentity
            private(set) var cents = 0
            private let prices: any Client<PriceState, PriceAction>

            init(_ scope: borrowing ContextScope) throws {
                identity = scope.identity
                prices = try scope.client(PriceClient.self)
            }
        }

        @MainActor
        @Observable
        final class CartContext: Context {
            nonisolated let identity: ComponentIdentity
            let price: PriceContext
            private(set) var lines: [Line] = []
            private let cart: any Client<CartState, CartAction>

            init(_ scope: borrowing ContextScope) throws {
                identity = scope.identity
                cart = try scope.client(CartClient.self)
                price = try scope.context(PriceContext.self)
            }

            func onAppear() async throws {
                observe(cart) { context, state in
                    context.lines = state.lines
                }
            }

            func handle(_ action: CartAction) async throws {
                try await cart.process(action)
                try await Task.sleep(for: .seconds(1))
            }
        }

        struct CartView: Presentation {
            let context: CartContext
            var title = "Cart"
            var body: String { title }
        }

        @MainActor
        func register(_ orchestrator: Orchestrator, _ flow: NavigationFlow<ShopRoute>) {
            orchestrator.register(HTTPNetwork.self, as: (any Network).self) { try HTTPNetwork($0) }
            orchestrator.register(Clock.self) { Clock($0) }
            orchestrator.register(CartClient.self) { try CartClient($0) }
            orchestrator.register(PriceClient.self) { PriceClient($0) }
            orchestrator.register(CartContext.self) { try CartContext($0) }
            orchestrator.register(PriceContext.self) { scope in try PriceContext(scope) }
        }

        """

    /// The same with a request handler, and a router that has its endpoint.
    static let withHandler =
        text + """
            enum StockRequest: Action {
                typealias Answer = Int
                case take(Line)
            }

            final class StockHandler: RequestHandler {
                let identity: ComponentIdentity
                private let stock: any Client<CartState, CartAction>

                init(_ scope: borrowing HandlerScope) throws {
                    identity = scope.identity
                    stock = try scope.client(CartClient.self)
                }

                func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {
                    try await stock.process(.clear)
                    let left = await remaining()
                    return left
                }

                private func remaining() async -> Int {
                    await stock.state.lines.count
                }
            }

            /// The routes of a server.
            struct StockRoutes {
                let stock: Endpoint<StockHandler>
            }

            @MainActor
            func serve(_ orchestrator: Orchestrator) -> StockRoutes {
                let limits = RequestLimits(inFlight: 100)
                let stock = orchestrator.register(StockHandler.self, limits: limits) { try StockHandler($0) }
                return StockRoutes(stock: stock)
            }

            """

    /// The same with a handler whose conformance is an extension of another name, in an enum.
    static let withLateHandler =
        withHandler + """
            enum Desk {
                final class Serving {
                    let identity: ComponentIdentity
                    init(_ scope: borrowing HandlerScope) { identity = scope.identity }
                    func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int { 1 }
                }
            }
            typealias Front = Desk.Serving
            typealias Serves = RequestHandler & Sendable
            extension Front: Serves {}

            """

    /// The same with a context whose conformance is an extension.
    static let withLateContext =
        text.replacing("final class PriceContext: Context {", with: "final class PriceContext {")
        + "extension PriceContext: Context {}\n"

    /// The same without a stream of its own.
    static let withoutStream =
        text
        .replacing("AsyncStream.makeStream(of: Int.self)", with: "(1, 2)")
        .replacing("        ticking.finish()\n", with: "")
}
