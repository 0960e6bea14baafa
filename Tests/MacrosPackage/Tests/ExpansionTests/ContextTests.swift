// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@Suite("@AxiomContext")
struct ContextTests {
    @Test("A context with clients, a downstream context and observations (TL-M6)")
    func context() {
        assertMacro(
            """
            @AxiomContext @Observable @MainActor public final class CartContext {
                @Client private let cart: ClientOf<CartClient>
                @Client(MailClient.self) let mail: any StatelessClient<MailAction>
                @Downstream let price: PricingContext
                @Observes(CartClient.self, \\.items) private(set) var items: [String] = []
                @Observes(CartClient.self) func apply(state: CartState) throws {}
            }
            """,
            expansion: """
                @Observable @MainActor public final class CartContext {
                    private let cart: ClientOf<CartClient>
                    let mail: any StatelessClient<MailAction>
                    let price: PricingContext
                    private(set) var items: [String] = []
                    func apply(state: CartState) throws {}

                    public nonisolated let identity: Axiom.ComponentIdentity

                    public init(_ scope: borrowing Axiom.ContextScope) throws {
                        identity = scope.identity
                        cart = try scope.client(CartClient.self)
                        mail = try scope.client(MailClient.self)
                        price = try scope.context(PricingContext.self)
                    }

                    public func onAppear() async throws {
                        observe(cart) { context, state in
                            context.items = state.items
                            try context.apply(state: state)
                        }
                    }
                }

                extension CartContext: Axiom.Context {
                }
                """
        )
    }

    @Test("A context without dependencies has an initializer that does not throw (TL-M6)")
    func small() {
        assertMacro(
            "@AxiomContext @Observable @MainActor final class A {}",
            expansion: """
                @Observable @MainActor final class A {

                    nonisolated let identity: Axiom.ComponentIdentity

                    init(_ scope: borrowing Axiom.ContextScope) {
                        identity = scope.identity
                    }
                }

                extension A: Axiom.Context {
                }
                """
        )
    }

    @Test("A written 'onAppear' begins the observation, with a fix (TL-M6)")
    func onAppear() {
        let source = """
            @AxiomContext @Observable @MainActor final class A {
                @Client let cart: ClientOf<CartClient>
                @Observes(CartClient.self, \\.self) var state = CartState()
                func onAppear() async throws {
                    print("here")
                }
            }
            """
        assertMacro(
            source,
            diagnostics: [
                Expected(
                    .observesNotCalled,
                    4,
                    10,
                    "This 'onAppear' does not begin what '@Observes' asks for",
                    fix: "Insert 'observeClients()'"
                )
            ],
            fixed: """
                @AxiomContext @Observable @MainActor final class A {
                    @Client let cart: ClientOf<CartClient>
                    @Observes(CartClient.self, \\.self) var state = CartState()
                    func onAppear() async throws {
                        observeClients()
                        print("here")
                    }
                }
                """
        )
        #expect(
            expanded(source).contains(
                """
                    private func observeClients() {
                        observe(cart) { context, state in
                            context.state = state
                        }
                    }
                """
            )
        )
        #expect(!expanded(source).contains("func onAppear() async throws {\n        observe("))
    }

    @Test("A context is a final observable class on the main actor, with fixes (TL-M6)")
    func kind() {
        assertMacro(
            """
            @AxiomContext
            public class A {}
            """,
            diagnostics: [
                Expected(
                    .mainActorMissing,
                    2,
                    14,
                    "A context runs on the main actor: 'A' has to be '@MainActor'",
                    fix: "Add '@MainActor'"
                ),
                Expected(
                    .observableMissing,
                    2,
                    14,
                    "A presentation observes its context: 'A' has to be '@Observable'",
                    fix: "Add '@Observable'"
                ),
                Expected(
                    .finalMissing,
                    2,
                    14,
                    "A context has no subclasses: 'A' has to be 'final'",
                    severity: .warning,
                    fix: "Add 'final'"
                ),
            ]
        )
        assertMacro(
            "@AxiomContext @Observable final class A {}",
            diagnostics: [
                Expected(
                    .mainActorMissing,
                    1,
                    39,
                    "A context runs on the main actor: 'A' has to be '@MainActor'",
                    fix: "Add '@MainActor'"
                )
            ],
            fixed: "@AxiomContext @Observable @MainActor final class A {}"
        )
        assertMacro(
            "@AxiomContext @Observable @MainActor struct A {}",
            diagnostics: [
                Expected(
                    .contextNotClass,
                    1,
                    38,
                    "A context is a class: the presentation and the framework share one object",
                    fix: "Replace 'struct' with 'final class'"
                )
            ],
            fixed: "@AxiomContext @Observable @MainActor final class A {}"
        )
    }

    @Test("A context uses no capabilities (TL-M6)")
    func capabilities() {
        let text = "A context does not use capabilities; give the capability to a client, and use the client"
        assertMacro(
            """
            @AxiomContext @Observable @MainActor final class A {
                @Capability let a: CapabilityRef<B>
                let b: CapabilityRef<B>
            }
            """,
            diagnostics: [
                Expected(.contextUsesCapability, 2, 5, text), Expected(.contextUsesCapability, 3, 12, text),
            ]
        )
    }

    @Test("The type of a client says which it is, with a fix (TL-M6)")
    func types() {
        let text = "The type of '@Client' has to be 'ClientOf<…>', or write '@Client(….self)' with the client"
        assertMacro(
            """
            @AxiomContext @Observable @MainActor final class A {
                @Client let a: CartClient
                @Client let b: any StatelessClient<MailAction>
                @Downstream let c: (A, A)
                let d: ClientOf<CartClient>
            }
            """,
            diagnostics: [
                Expected(.dependencyType, 2, 20, text, fix: "Wrap it in 'ClientOf'"),
                Expected(.dependencyType, 3, 20, text),
                Expected(.dependencyType, 4, 24, "The type of '@Downstream' has to be the name of a context"),
                Expected(
                    .propertyNotInitialized,
                    5,
                    9,
                    "Nothing gives 'd' a value: give it a default, mark it, or write the initializer by hand",
                    fix: "Add '@Client'"
                ),
            ],
            fixed: """
                @AxiomContext @Observable @MainActor final class A {
                    @Client let a: ClientOf<CartClient>
                    @Client let b: any StatelessClient<MailAction>
                    @Downstream let c: (A, A)
                    @Client let d: ClientOf<CartClient>
                }
                """
        )
    }

    @Test("@Observes names a client of the context, and a member that takes its states (TL-M6)")
    func observes() {
        assertMacro(
            """
            @AxiomContext @Observable @MainActor final class A {
                @Client let cart: ClientOf<CartClient>
                @Observes(MailClient.self, \\.a) var a = 1
                @Observes(CartClient.self) var b = 1
                @Observes(CartClient.self, \\.c) let c = 1
                @Observes(CartClient.self) func d(_ state: CartState) async {}
                @Observes(CartClient.self) func e() {}
            }
            """,
            diagnostics: [
                Expected(.observesUnknownClient, 3, 15, "'A' has no '@Client' property of 'MailClient'"),
                Expected(.observesForm, 4, 5, "Name the part of the state: '@Observes(CartClient.self, \\.items)'"),
                Expected(.observesForm, 5, 5, "'@Observes' needs a stored 'var', or a function with one parameter"),
                Expected(
                    .observesForm,
                    6,
                    5,
                    "States are applied one after another: the function cannot be 'async'"
                ),
                Expected(
                    .observesForm,
                    7,
                    5,
                    "'@Observes' needs a function of the context with one parameter, the state"
                ),
            ]
        )
    }

    @Test("A marker outside of a component does nothing, and says so")
    func misplaced() {
        assertMacro(
            """
            struct A {
                @Capability var a: Int
            }
            @Downstream var b = 1
            """,
            diagnostics: [
                Expected(
                    .markerMisplaced,
                    2,
                    5,
                    "'@Capability' does something only directly in a type with '@AxiomCapability' or '@AxiomClient'"
                ),
                Expected(
                    .markerMisplaced,
                    4,
                    1,
                    "'@Downstream' does something only directly in a type with '@AxiomContext'"
                ),
            ]
        )
        assertMacro(
            "@AxiomCapability actor A { @Capability static let a = 1; @Capability var b: Int { 1 } }",
            diagnostics: [
                Expected(
                    .markerMisplaced,
                    1,
                    28,
                    "'@Capability' does something only on a stored property of an instance"
                ),
                Expected(
                    .markerMisplaced,
                    1,
                    58,
                    "'@Capability' does something only on a stored property of an instance"
                ),
            ]
        )
    }

    @Test("An open class becomes a public final one (TL-M6)")
    func open() {
        assertMacro(
            "@AxiomContext @Observable @MainActor open class A {}",
            diagnostics: [
                Expected(
                    .finalMissing,
                    1,
                    49,
                    "A context has no subclasses: 'A' has to be 'final'",
                    severity: .warning,
                    fix: "Replace 'open' with 'public final'"
                )
            ],
            fixed: "@AxiomContext @Observable @MainActor public final class A {}"
        )
    }
}
