// SPDX-License-Identifier: Apache-2.0

import Testing

/// A small file that obeys a rule, and the one line that would break it.
struct RuleFixture: Sendable, CustomTestStringConvertible {
    /// What is forbidden.
    let rule: String
    /// Compiles as it is. The line to be swapped ends with `// this line`.
    let source: String
    /// What stands in place of the marked line to break the rule.
    let violation: String
    /// What the compiler says of it.
    let diagnostic: String

    var testDescription: String { rule }

    private static let mark = "// this line"

    /// The file that obeys the rule.
    var allowed: String { Self.components + source }

    /// The file that breaks it.
    var forbidden: String {
        allowed.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasSuffix(Self.mark) ? violation : String($0) }
            .joined(separator: "\n")
    }

    /// The components that fixtures share: a capability, a client and a context.
    private static let components = """
        import Axiom
        import Observation

        actor Network: Capability {
            nonisolated let identity: ComponentIdentity
            init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
        }

        struct CartState: OwnedState { var items = 0 }

        enum CartAction: Action { case add }

        actor CartClient: Client, Component {
            nonisolated let identity: ComponentIdentity
            private let store: StateStore<CartState>
            init(_ scope: borrowing ClientScope) {
                identity = scope.identity
                store = scope.store(CartState())
            }
            var state: CartState { store.state }
            nonisolated var stateStream: StateStream<CartState> { store.stream }
            func process(_ action: CartAction) async throws {}
        }

        @Observable
        final class CartContext: Context {
            @ObservationIgnored let identity: ComponentIdentity
            init(_ scope: borrowing ContextScope) { identity = scope.identity }
        }


        """
}

extension RuleFixture {
    /// A client whose initializer holds the marked line.
    private static func client(_ line: String) -> String {
        """
        actor UserClient: StatelessClient, Component {
            nonisolated let identity: ComponentIdentity
            private let held: any Sendable
            init(_ scope: borrowing ClientScope) throws {
                identity = scope.identity
                \(line)  \(mark)
            }
            func process(_ action: NoAction) async throws {}
        }
        """
    }

    /// A context whose initializer holds the marked line.
    private static func context(_ line: String) -> String {
        """
        final class HomeContext: Context, Observable {
            let identity: ComponentIdentity
            init(_ scope: borrowing ContextScope) throws {
                identity = scope.identity
                \(line)  \(mark)
            }
        }
        """
    }

    static let all = [
        RuleFixture(
            rule: "A client resolves another client (rule 1)",
            source: client("held = try scope.capability(Network.self)"),
            violation: "held = try scope.client(CartClient.self)",
            diagnostic: "value of type 'ClientScope' has no member 'client'"
        ),
        RuleFixture(
            rule: "A context resolves a capability (rule 2)",
            source: context("_ = try scope.client(CartClient.self)"),
            violation: "_ = try scope.capability(Network.self)",
            diagnostic: "value of type 'ContextScope' has no member 'capability'"
        ),
        RuleFixture(
            rule: "A context resolves a service (ORC-10)",
            source: context("_ = try scope.client(CartClient.self)"),
            violation: "_ = try scope.service(Int.self)",
            diagnostic: "value of type 'ContextScope' has no member 'service'"
        ),
        RuleFixture(
            rule: "A presentation shows two contexts (rule 4)",
            source: """
                struct CartView: Presentation {
                    let context: CartContext
                    static let other = 1  // this line
                    var body: String { "cart" }
                }
                """,
            violation: "let other: CartContext",
            diagnostic: "type 'CartView' does not conform to protocol 'Presentation'"
        ),
        RuleFixture(
            rule: "A client resolves a context (rule 5)",
            source: client("held = try scope.capability(Network.self)"),
            violation: "held = try scope.context(CartContext.self)",
            diagnostic: "value of type 'ClientScope' has no member 'context'"
        ),
        RuleFixture(
            rule: "A capability resolves a client (rule 5)",
            source: """
                actor Sync: Capability {
                    nonisolated let identity: ComponentIdentity
                    init(_ scope: borrowing CapabilityScope) throws {
                        identity = scope.identity
                        _ = try scope.capability(Network.self)  // this line
                    }
                }
                """,
            violation: "_ = try scope.client(CartClient.self)",
            diagnostic: "value of type 'CapabilityScope' has no member 'client'"
        ),
        RuleFixture(
            rule: "A client keeps its scope, to resolve another client later (rule 6)",
            source: client("held = { [identity = scope.identity] in identity } as @Sendable () -> any Sendable"),
            violation: "held = { scope.identity } as @Sendable () -> any Sendable",
            diagnostic: "'scope' cannot be captured by an escaping closure since it is a borrowed parameter"
        ),
    ]
}

extension RuleFixture {
    /// A handler whose `handle` holds the marked line.
    private static func handler(_ line: String) -> String {
        """
        final class CartHandler: RequestHandler {
            let identity: ComponentIdentity
            init(_ scope: borrowing HandlerScope) throws {
                identity = scope.identity
            }
            func handle(_ request: CartAction, in work: borrowing WorkScope) async throws {
                \(line)  \(mark)
            }
        }
        """
    }

    static let requests = [
        RuleFixture(
            rule: "A request handler resolves a capability (rule 2)",
            source: """
                final class CartHandler: RequestHandler {
                    let identity: ComponentIdentity
                    init(_ scope: borrowing HandlerScope) throws {
                        identity = scope.identity
                        _ = try scope.client(CartClient.self)  // this line
                    }
                    func handle(_ request: CartAction, in work: borrowing WorkScope) async throws {}
                }
                """,
            violation: "_ = try scope.capability(Network.self)",
            diagnostic: "value of type 'HandlerScope' has no member 'capability'"
        ),
        RuleFixture(
            rule: "A request keeps its scope in a task that outlives it",
            source: handler("Task { [id = work.id] in _ = id }"),
            violation: "Task { _ = work.id }",
            diagnostic: "'work' cannot be captured by an escaping closure since it is a borrowed parameter"
        ),
        RuleFixture(
            rule: "A request copies its scope",
            source: handler("let kept = work.id; _ = kept"),
            violation: "let kept = work; _ = kept",
            diagnostic: "'work' is borrowed and cannot be consumed"
        ),
        RuleFixture(
            rule: "A session outlives its body",
            source: """
                func serve(_ endpoint: Endpoint<CartHandler>) async throws {
                    try await endpoint.session { session in
                        let kept = session.values  // this line
                        _ = kept
                        try await session.request(.add)
                    }
                }
                final class CartHandler: RequestHandler {
                    let identity: ComponentIdentity
                    init(_ scope: borrowing HandlerScope) { identity = scope.identity }
                    func handle(_ request: CartAction, in work: borrowing WorkScope) async throws {}
                }
                """,
            violation: "let kept = session",
            diagnostic: "'session' is borrowed and cannot be consumed"
        ),
        RuleFixture(
            rule: "A handler is made without an orchestrator",
            source: """
                final class CartHandler: RequestHandler {
                    let identity: ComponentIdentity
                    init(_ scope: borrowing HandlerScope) { identity = scope.identity }
                    func handle(_ request: CartAction, in work: borrowing WorkScope) async throws {}
                }
                func make(_ scope: borrowing HandlerScope) -> CartHandler {
                    CartHandler(scope)  // this line
                }
                """,
            violation: "CartHandler(HandlerScope(scope.identity))",
            diagnostic: "'HandlerScope' initializer is inaccessible due to 'internal' protection level"
        ),
    ]
}

extension RuleFixture {
    static let creation = [
        RuleFixture(
            rule: "An identity is made by hand",
            source: """
                func steal(_ client: CartClient) -> ComponentIdentity {
                    client.identity  // this line
                }
                """,
            violation: "ComponentIdentity(client.identity.descriptor)",
            diagnostic: "'ComponentIdentity' initializer is inaccessible due to 'package' protection level"
        ),
        RuleFixture(
            rule: "A client is made without an orchestrator",
            source: """
                func make(_ scope: borrowing ClientScope) -> CartClient {
                    CartClient(scope)  // this line
                }
                """,
            violation: "CartClient(ClientScope(scope.identity))",
            diagnostic: "'ClientScope' initializer is inaccessible due to 'internal' protection level"
        ),
        RuleFixture(
            rule: "A context is made without an orchestrator",
            source: """
                @MainActor func make(_ scope: borrowing ContextScope) -> CartContext {
                    CartContext(scope)  // this line
                }
                """,
            violation: "CartContext(ContextScope(scope.identity))",
            diagnostic: "'ContextScope' initializer is inaccessible due to 'internal' protection level"
        ),
        RuleFixture(
            rule: "A capability is made without an orchestrator",
            source: """
                func make(_ scope: borrowing CapabilityScope) -> Network {
                    Network(scope)  // this line
                }
                """,
            violation: "Network(CapabilityScope(scope.identity))",
            diagnostic: "'CapabilityScope' initializer is inaccessible due to 'internal' protection level"
        ),
        RuleFixture(
            rule: "A scope is copied",
            source: """
                func look(_ scope: borrowing ContextScope) {
                    let copy = scope.identity  // this line
                    _ = copy
                }
                """,
            violation: "let copy = scope",
            diagnostic: "'scope' is borrowed and cannot be consumed"
        ),
        RuleFixture(
            rule: "A context runs the factory of another by itself",
            source: """
                final class HomeContext: Context, Observable {
                    let identity: ComponentIdentity
                    init(_ scope: borrowing ContextScope) throws {
                        identity = scope.identity
                        _ = try scope.context(CartContext.self)  // this line
                    }
                }
                """,
            violation: "_ = try scope.factory.make(CartContext.self)",
            diagnostic: "'factory' is inaccessible due to 'internal' protection level"
        ),
    ]
}
