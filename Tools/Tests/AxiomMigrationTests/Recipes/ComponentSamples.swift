// SPDX-License-Identifier: Apache-2.0

extension RecipeSample {
    static let clients = [
        RecipeSample(
            recipe: "class-to-actor",
            old: """
                public final class Camera: BaseCapability {
                    public override func initialize() async throws {
                        try await super.initialize()
                    }
                }
                """,
            new: """
                public actor Camera: BaseCapability {
                    public private(set) var isAvailable = false
                    public func initialize() async throws {
                        isAvailable = true
                    }
                }
                """,
            untouched: """
                final class Camera: BaseCapability {
                    func start(_ session: Session) { session.delegate = self }
                }
                """,
            note: "passes self on"
        ),
        RecipeSample(
            recipe: "stateful-client-protocol",
            old: """
                actor CartClient: Logging, StatefulClient {
                    typealias State = CartState
                    typealias Action = CartAction
                }
                """,
            new: """
                actor CartClient: Logging, Client, Component {
                    typealias Action = CartAction
                }
                """.replacing("    typealias Action = CartAction\n", with: ""),
            untouched: """
                protocol Cart: StatefulClient {
                    associatedtype State
                }
                """
        ),
        RecipeSample(
            recipe: "capability-refs",
            old: """
                final class Network: Capability { func get(_ path: String) async throws -> Int { 1 } }
                actor CartClient: StatefulClient {
                    private let network: Network
                    func send(_ action: CartAction) async throws {
                        let count = try await network.get("/cart")
                        guard await network.checkAvailability() else { return }
                    }
                }
                """,
            new: """
                final class Network: Capability { func get(_ path: String) async throws -> Int { 1 } }
                actor CartClient: StatefulClient {
                    private let network: CapabilityRef<Network>
                    func send(_ action: CartAction) async throws {
                        let count = try await network.call { try await $0.get("/cart") }
                        guard try await network.checkAvailability() else { return }
                    }
                }
                """,
            untouched: """
                final class Network { func get(_ path: String) async throws -> Int { 1 } }
                actor CartClient: StatefulClient {
                    private let network: Network
                    func send(_ action: CartAction) async throws { _ = try await network.get("/cart") }
                }
                """
        ),
        RecipeSample(
            recipe: "identity-and-scope-init",
            old: """
                final class Network: Capability {}
                actor CartClient: StatefulClient {
                    private let network: CapabilityRef<Network>
                    private let limit: Int
                    init(network: Network, limit: Int) {
                        self.network = network
                        self.limit = limit
                    }
                }
                """,
            new: """
                final class Network: Capability {}
                actor CartClient: StatefulClient {
                    nonisolated let identity: ComponentIdentity
                    private let network: CapabilityRef<Network>
                    private let limit: Int
                    init(_ scope: borrowing ClientScope, limit: Int) throws {
                        identity = scope.identity
                        self.network = try scope.capability(Network.self)
                        self.limit = limit
                    }
                }
                """,
            untouched: """
                final class Network: Capability { init() {} }
                final class CartStore { init(network: Network) {} ; var contextId = 1 }
                """
        ),
        RecipeSample(
            recipe: "rename-process",
            old: """
                enum CartAction { case clear }
                actor CartClient: StatefulClient {
                    func send(_ action: CartAction) async throws {}
                }
                """,
            new: """
                enum CartAction: Action { case clear }
                actor CartClient: StatefulClient {
                    func process(_ action: CartAction) async throws {}
                }
                """,
            untouched: """
                actor CartClient: StatefulClient {
                    func send(_ text: String, to address: String) async throws {}
                }
                actor Mailer { func send(_ text: String) async throws {} }
                """
        ),
        RecipeSample(
            recipe: "invalidate-to-terminate",
            old: "final class Network: ManagedCapability {\n    func invalidate() {}\n}",
            new: "final class Network: ManagedCapability {\n    func terminate() async {}\n}",
            untouched: "final class Network: ManagedCapability {\n    func invalidate(_ key: String) {}\n}"
        ),
    ]

    static let contexts = [
        RecipeSample(
            recipe: "stream-for-updates",
            old: """
                actor CartClient: BaseClient<CartState, CartAction> {}
                final class CartContext: BaseContext {
                    @Published var count = 0
                    private let client: CartClient
                    private var task: Task<Void, Never>?
                    func follow() {
                        task = Task { [weak self] in
                            guard let self else { return }
                            for await state in await client.stateStream {
                                guard !Task.isCancelled else { break }
                                self.count = state.count
                            }
                        }
                    }
                    deinit { task?.cancel() }
                }
                """,
            new: """
                actor CartClient: BaseClient<CartState, CartAction> {
                    nonisolated var stateStream: StateStream<CartState> { store.stream }
                }
                final class CartContext: BaseContext {
                    @Published var count = 0
                    private let client: CartClient
                    func follow() {
                        observe(client) { context, state in
                            context.count = state.count
                        }
                    }
                }
                """,
            untouched: """
                final class CartContext: BaseContext {
                    private let numbers: AsyncStream<Int>
                    private var task: Task<Void, Never>?
                    func follow() { task = Task { for await number in numbers { print(number) } } }
                    deinit { task?.cancel() }
                }
                """
        ),
        RecipeSample(
            recipe: "context-lifecycle",
            old: """
                final class CartContext: BaseContext {
                    override func viewDidAppear() {}
                }
                """,
            new: """
                @MainActor
                final class CartContext: BaseContext {
                    func onAppear() async {}
                }
                """,
            untouched:
                "final class CartController: UIViewController, BaseScreen {\n    override func viewDidAppear() {}\n}"
        ),
        RecipeSample(
            recipe: "observable-for-published",
            old: """
                import AxiomR3
                @MainActor
                final class CartContext: ObservableObject, Context {
                    @Published private(set) var count = 0
                }
                """,
            new: """
                import AxiomR3
                import Observation
                @MainActor
                @Observable
                final class CartContext: Context {
                    private(set) var count = 0
                }
                """,
            untouched: "import AxiomR3\nfinal class Theme: ObservableObject {\n    @Published var isDark = false\n}\n"
        ),
        RecipeSample(
            recipe: "create-context-to-scope",
            old: """
                actor CartClient: StatefulClient {
                    var state = CartState()
                }
                final class CartContext: Context {
                    let orchestrator: Orchestrator
                    private let cart: CartClient
                    init(orchestrator: Orchestrator, cart: CartClient) {
                        self.orchestrator = orchestrator
                        self.cart = cart
                    }
                }
                """,
            new: """
                actor CartClient: StatefulClient {
                    var state = CartState()
                }
                final class CartContext: Context {
                    nonisolated let identity: ComponentIdentity
                    private let cart: ClientOf<CartClient>
                    init(_ scope: borrowing ContextScope) throws {
                        identity = scope.identity
                        self.cart = try scope.client(CartClient.self)
                    }
                }
                """,
            untouched: """
                actor CartClient: StatefulClient {
                    var state = CartState()
                }
                final class CartReport { init(orchestrator: Orchestrator, cart: CartClient) {} }
                """
        ),
        RecipeSample(
            recipe: "registry-to-registration",
            old: """
                final class Network: ManagedCapability {}
                final class App: Orchestrator {
                    let capabilityRegistry = CapabilityRegistry()
                    init() {
                        capabilityRegistry.register(Network())
                    }
                }
                """,
            new: """
                final class Network: ManagedCapability {}
                final class App {
                    let orchestrator = Orchestrator()
                    init() {
                        orchestrator.register(Network.self) { Network($0) }
                    }
                }
                """,
            untouched: """
                final class Network: ManagedCapability {}
                struct Plugins { func register(_ network: Network) {} }
                """
        ),
        RecipeSample(
            recipe: "constrained-view-to-presentation",
            old: """
                final class CartContext: BaseContext {}
                struct CartView: View {
                    @ObservedObject var context: CartContext
                    var body: some View {
                        Text("cart")
                            .onAppear { context.viewDidAppear() }
                    }
                }
                """,
            new: """
                final class CartContext: BaseContext {}
                struct CartView: View, Presentation {
                    let context: CartContext
                    var body: some View {
                        Text("cart")
                    }
                }
                """,
            untouched: """
                final class CartContext: BaseContext {}
                struct CartView: View {
                    @ObservedObject var context: CartContext
                    @ObservedObject var other: CartContext
                    var body: some View { Text("cart") }
                }
                """,
            note: "a presentation has one"
        ),
    ]

    static let all = names + states + clients + contexts
}
