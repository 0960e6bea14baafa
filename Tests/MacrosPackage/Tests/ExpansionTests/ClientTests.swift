// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@Suite("@AxiomClient and @AxiomCapability")
struct ClientTests {
    @Test("A client with a state and a capability (TL-M3, TL-M4)")
    func client() {
        assertMacro(
            """
            @AxiomClient(CartState.self) public actor CartClient {
                @Capability let network: CapabilityRef<any Network>
                @Capability private var clock: CapabilityRef<Clock>
                public func process(_ action: CartAction) async throws {}
            }
            """,
            expansion: """
                public actor CartClient {
                    let network: CapabilityRef<any Network>
                    private var clock: CapabilityRef<Clock>
                    public func process(_ action: CartAction) async throws {}

                    public nonisolated let identity: Axiom.ComponentIdentity

                    private let store: Axiom.StateStore<CartState>

                    public var state: CartState {
                        store.state
                    }

                    public nonisolated var stateStream: Axiom.StateStream<CartState> {
                        store.stream
                    }

                    public init(_ scope: borrowing Axiom.ClientScope) throws {
                        identity = scope.identity
                        network = try scope.capability((any Network).self)
                        clock = try scope.capability(Clock.self)
                        store = scope.store(CartState())
                    }
                }

                extension CartClient: Axiom.Client, Axiom.Component {
                }
                """
        )
    }

    @Test("A stateless client, and a first state (TL-M4)")
    func others() {
        assertMacro(
            """
            @AxiomClient actor A {
                func process(_ action: B) async throws {}
            }
            """,
            expansion: """
                actor A {
                    func process(_ action: B) async throws {}

                    nonisolated let identity: Axiom.ComponentIdentity

                    init(_ scope: borrowing Axiom.ClientScope) {
                        identity = scope.identity
                    }
                }

                extension A: Axiom.Client, Axiom.Component {
                }
                """
        )
        let first = expanded("@AxiomClient(S(a: 1)) actor A { func process(_ action: B) async throws {} }")
        #expect(first.contains("private let store: Axiom.StateStore<S>"))
        #expect(first.contains("store = scope.store(S(a: 1))"))
    }

    @Test("What is written stays: the initializer, the store, the identity (TL-M4)")
    func written() {
        let text = expanded(
            """
            @AxiomClient(S.self) actor A {
                nonisolated let identity: ComponentIdentity
                private let store: PersistentStore<S>
                init(_ scope: borrowing ClientScope, clock: TimeSource) throws {
                    (identity, store) = (scope.identity, scope.persistentStore(S(), "s"))
                }
                var state: S { store.state }
                func process(_ action: B) async throws {}
            }
            """
        )
        #expect(text.split(separator: "init(").count == 2)
        #expect(text.split(separator: "let identity").count == 2)
        #expect(text.split(separator: "let store").count == 2)
        #expect(text.split(separator: "var state:").count == 2)
        #expect(text.contains("nonisolated var stateStream: Axiom.StateStream<S>"))
    }

    @Test("A client is an actor (TL-M3)")
    func kind() {
        assertMacro(
            "@AxiomClient final class A { func process(_ action: B) async throws {} }",
            diagnostics: [
                Expected(
                    .clientNotActor,
                    1,
                    20,
                    "A client is an actor: its work runs beside that of others",
                    fix: "Replace 'class' with 'actor'"
                )
            ],
            fixed: "@AxiomClient actor A { func process(_ action: B) async throws {} }"
        )
        assertMacro(
            "@AxiomCapability public struct A {}",
            diagnostics: [
                Expected(
                    .capabilityNotActor,
                    1,
                    25,
                    "A capability is an actor: its work runs beside that of others",
                    fix: "Replace 'struct' with 'actor'"
                )
            ],
            fixed: "@AxiomCapability public actor A {}"
        )
    }

    @Test("A client has a function 'process' in its declaration (TL-M3)")
    func process() {
        let text = "'A' has no function 'process'; a macro does not see extensions, so write it in the actor itself"
        assertMacro(
            """
            enum Outer {
                @AxiomClient actor A {
                    var a = 1
                }
            }
            """,
            diagnostics: [Expected(.clientProcessMissing, 2, 24, text, fix: "Add 'process'")],
            fixed: """
                enum Outer {
                    @AxiomClient actor A {
                        var a = 1
                        func process(_ action: <#Action#>) async throws {}
                    }
                }
                """
        )
        assertMacro(
            "@AxiomClient actor A {}",
            diagnostics: [Expected(.clientProcessMissing, 1, 20, text, fix: "Add 'process'")],
            fixed: """
                @AxiomClient actor A {
                    func process(_ action: <#Action#>) async throws {}
                }
                """
        )
    }

    @Test("'process' has the form of the protocol (TL-M3)")
    func processForm() {
        let text = "'process' has to have the form 'func process(_ action: …) async throws'"
        assertMacro(
            "@AxiomClient actor A { func process(action: B) async throws {} }",
            diagnostics: [Expected(.clientProcessForm, 1, 37, text, fix: "Insert '_'")],
            fixed: "@AxiomClient actor A { func process(_ action: B) async throws {} }"
        )
        assertMacro(
            "@AxiomClient actor A { func process(with action: B) async throws {} }",
            diagnostics: [Expected(.clientProcessForm, 1, 37, text, fix: "Replace it with '_'")],
            fixed: "@AxiomClient actor A { func process(_ action: B) async throws {} }"
        )
    }

    @Test("What the framework uses is as accessible as the component (TL-M3)")
    func memberAccess() {
        func text(_ name: String) -> String {
            "'\(name)' has to be as accessible as 'A', because the framework uses it"
        }
        assertMacro(
            "@AxiomClient public actor A { nonisolated func process(_ action: B) async throws {} }",
            diagnostics: [Expected(.memberAccess, 1, 48, text("process"), fix: "Add 'public'")],
            fixed: "@AxiomClient public actor A { public nonisolated func process(_ action: B) async throws {} }"
        )
        assertMacro(
            "@AxiomCapability actor A { private func initialize() async throws {} }",
            diagnostics: [Expected(.memberAccess, 1, 28, text("initialize"), fix: "Remove 'private'")],
            fixed: "@AxiomCapability actor A { func initialize() async throws {} }"
        )
        assertMacro(
            "@AxiomCapability package actor A { private func initialize() async throws {} }",
            diagnostics: [
                Expected(.memberAccess, 1, 36, text("initialize"), fix: "Replace 'private' with 'package'")
            ],
            fixed: "@AxiomCapability package actor A { package func initialize() async throws {} }"
        )
    }

    @Test("A client holds no client and nothing above it (TL-M5)")
    func upwards() {
        let holds = "A client does not hold another client; let the context that needs both use them in turn"
        assertMacro(
            """
            @AxiomClient actor A {
                @Client let a: ClientOf<B>
                let b: any Client<S, B>
                var c: ClientOf<B>?
                @Downstream let d: D
                let e: any Context
                let f: Orchestrator
                func process(_ action: B) async throws {}
                @Observes(B.self) func g(_ state: S) {}
            }
            """,
            diagnostics: [
                Expected(.clientHoldsClient, 2, 5, holds), Expected(.clientHoldsClient, 3, 12, holds),
                Expected(.clientHoldsClient, 4, 12, holds),
                Expected(.clientReachesUp, 5, 5, "A client depends on capabilities only: it has no '@Downstream'"),
                Expected(.clientReachesUp, 6, 12, "A client depends on capabilities only"),
                Expected(.clientReachesUp, 7, 12, "A client depends on capabilities only"),
                Expected(.clientReachesUp, 9, 5, "A client depends on capabilities only: it has no '@Observes'"),
            ]
        )
    }

    @Test("A client owns one state (TL-M4)")
    func states() {
        let text = "A client owns one state: make one state of both, or a client for each"
        assertMacro(
            "@AxiomClient(S.self, T.self) actor A { func process(_ action: B) async throws {} }",
            diagnostics: [Expected(.clientTwoStates, 1, 22, text)]
        )
        assertMacro(
            """
            @AxiomClient(S.self) actor A {
                let other = StateStore(T())
                let second: StateStore<T>
                init(_ scope: borrowing ClientScope) { identity = scope.identity; second = scope.store(T()) }
                func process(_ action: B) async throws {}
            }
            """,
            diagnostics: [Expected(.clientTwoStates, 3, 17, text)]
        )
        assertMacro(
            "@AxiomClient(first) actor A { func process(_ action: B) async throws {} }",
            diagnostics: [
                Expected(
                    .clientStateArgument,
                    1,
                    14,
                    "Write the type of the state, as 'CartState.self', or its first value, as 'CartState(items: [])'"
                )
            ]
        )
    }

    @Test("A capability depends on capabilities only (TL-M7)")
    func capability() {
        assertMacro(
            """
            @AxiomCapability actor A {
                @Capability let cache: CapabilityRef<Cache>
            }
            """,
            expansion: """
                actor A {
                    let cache: CapabilityRef<Cache>

                    nonisolated let identity: Axiom.ComponentIdentity

                    init(_ scope: borrowing Axiom.CapabilityScope) throws {
                        identity = scope.identity
                        cache = try scope.capability(Cache.self)
                    }
                }

                extension A: Axiom.Capability {
                }
                """
        )
        assertMacro(
            """
            @AxiomCapability actor A {
                @Client let a: ClientOf<B>
                let b: any StatelessClient<B>
            }
            """,
            diagnostics: [
                Expected(.capabilityReachesUp, 2, 5, "A capability depends on capabilities only: it has no '@Client'"),
                Expected(.capabilityReachesUp, 3, 12, "A capability depends on capabilities only"),
            ]
        )
    }

    @Test("The type of a dependency says how it is held, with a fix (TL-M4)")
    func types() {
        assertMacro(
            """
            @AxiomCapability actor A {
                @Capability let a: Cache
                @Capability let b: any Network
            }
            """,
            diagnostics: [
                Expected(
                    .dependencyType,
                    2,
                    24,
                    "The type of '@Capability' has to be 'CapabilityRef<…>'",
                    fix: "Wrap it in 'CapabilityRef'"
                ),
                Expected(
                    .dependencyType,
                    3,
                    24,
                    "The type of '@Capability' has to be 'CapabilityRef<…>'",
                    fix: "Wrap it in 'CapabilityRef'"
                ),
            ],
            fixed: """
                @AxiomCapability actor A {
                    @Capability let a: CapabilityRef<Cache>
                    @Capability let b: CapabilityRef<any Network>
                }
                """
        )
    }

    @Test("A property that nothing sets is named (TL-M4)")
    func uninitialized() {
        func text(_ name: String) -> String {
            "Nothing gives '\(name)' a value: give it a default, mark it, or write the initializer by hand"
        }
        assertMacro(
            """
            @AxiomCapability actor A {
                let a: Int
                private let b: CapabilityRef<B>
                var c: Int?
                lazy var d: Int = 1
            }
            """,
            diagnostics: [
                Expected(.propertyNotInitialized, 2, 9, text("a")),
                Expected(.propertyNotInitialized, 3, 17, text("b"), fix: "Add '@Capability'"),
            ],
            fixed: """
                @AxiomCapability actor A {
                    let a: Int
                    @Capability private let b: CapabilityRef<B>
                    var c: Int?
                    lazy var d: Int = 1
                }
                """
        )
    }

    @Test("An own initializer stores the identity of its scope, with a fix (TL-M4)")
    func identity() {
        let text = "The initializer does not store 'scope.identity', so the orchestrator refuses the component"
        let fix = "Insert 'identity = scope.identity'"
        assertMacro(
            """
            @AxiomCapability actor A {
                let a: Int
                init(_ scope: borrowing CapabilityScope) {
                    a = 1
                }
            }
            """,
            diagnostics: [Expected(.identityNotStored, 3, 5, text, fix: fix)],
            fixed: """
                @AxiomCapability actor A {
                    let a: Int
                    init(_ scope: borrowing CapabilityScope) {
                        identity = scope.identity
                        a = 1
                    }
                }
                """
        )
        assertMacro(
            "@AxiomCapability actor A { let a: Int; init(_ scope: borrowing CapabilityScope) { a = 1 } }",
            diagnostics: [Expected(.identityNotStored, 1, 40, text, fix: fix)],
            fixed: """
                @AxiomCapability actor A { let a: Int; init(_ scope: borrowing CapabilityScope) { identity = scope.identity; a = 1 } }
                """
        )
        assertMacro(
            "@AxiomCapability actor A { init(from s: borrowing Axiom.CapabilityScope) { self.identity = other } }",
            diagnostics: [
                Expected(
                    .identityNotStored,
                    1,
                    92,
                    "The identity is not that of the scope, so the orchestrator refuses the component",
                    fix: "Replace it with 's.identity'"
                )
            ],
            fixed:
                "@AxiomCapability actor A { init(from s: borrowing Axiom.CapabilityScope) { self.identity = s.identity } }"
        )
    }

    @Test("A private initializer cannot be called by a factory, with a fix")
    func privateInitializer() {
        assertMacro(
            """
            @AxiomCapability actor A {
                // Makes it.
                private init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
                private init() { fatalError() }
            }
            """,
            diagnostics: [
                Expected(
                    .initializerPrivate,
                    3,
                    5,
                    "The factory that is registered cannot call a private initializer",
                    severity: .warning,
                    fix: "Remove 'private'"
                )
            ],
            fixed: """
                @AxiomCapability actor A {
                    // Makes it.
                    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
                    private init() { fatalError() }
                }
                """
        )
    }
}
