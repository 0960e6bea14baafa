// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Rules about cycles and registrations")
struct GraphRuleTests {
    private static let capabilities = """
        import Axiom

        actor A: Capability {
            init(_ scope: borrowing CapabilityScope) throws {
                b = try scope.capability(B.self)
                c = try scope.capability(C.self)
            }
        }

        actor B: Capability {
            init(_ scope: borrowing CapabilityScope) throws {
                c = try scope.capability(C.self)
            }
        }

        actor C: Capability {
            init(_ scope: borrowing CapabilityScope) throws {
                identity = scope.identity
            }
        }
        """

    private static let contexts = """
        import Axiom

        final class Outer: Context {
            init(_ scope: borrowing ContextScope) throws {
                inner = try scope.context(Inner.self)
            }
        }

        final class Inner: Context {
            init(_ scope: borrowing ContextScope) throws {
                identity = scope.identity
            }
        }

        func compose(_ orchestrator: Orchestrator) {
            orchestrator.register(Outer.self) { try Outer($0) }
            orchestrator.register(Inner.self) { try Inner($0) }
        }
        """

    private static let shop = """
        import Axiom

        protocol Network: Sendable {}

        actor HTTPNetwork: Capability, Network {
            init(_ scope: borrowing CapabilityScope) {}
        }

        actor CartClient: Client, Component {
            init(_ scope: borrowing ClientScope) throws {
                network = try scope.capability((any Network).self)
            }
        }

        final class CartContext: Context {
            init(_ scope: borrowing ContextScope) throws {
                cart = try scope.client(CartClient.self)
            }
        }

        func compose(_ orchestrator: Orchestrator) {
            orchestrator.register(HTTPNetwork.self, as: (any Network).self) { HTTPNetwork($0) }
            orchestrator.register(CartClient.self) { try CartClient($0) }
            orchestrator.register(CartContext.self) { try CartContext($0) }
            print("composed")
        }
        """

    private static let stock = """
        import Axiom

        actor StockClient: Client, Component {
            init(_ scope: borrowing ClientScope) {}
        }

        final class StockHandler: RequestHandler {
            init(_ scope: borrowing HandlerScope) throws {
                stock = try scope.client(StockClient.self)
            }
        }

        func compose(_ orchestrator: Orchestrator) -> Endpoint<StockHandler> {
            orchestrator.register(StockClient.self) { StockClient($0) }
            print("composed")
            return orchestrator.register(StockHandler.self, limits: RequestLimits()) { try StockHandler($0) }
        }
        """

    static let twins = [
        SourceTwin(
            "capability-cycle",
            capabilities,
            replace: "identity = scope.identity",
            with: "a = try scope.capability(A.self)"
        ),
        SourceTwin(
            "context-cycle",
            contexts,
            replace: "identity = scope.identity",
            with: "outer = try scope.context(Outer.self)"
        ),
        SourceTwin(
            "registered-not",
            shop,
            replace: "orchestrator.register(CartClient.self) { try CartClient($0) }",
            with: "// CartClient"
        ),
        SourceTwin(
            "registered-not",
            shop,
            replace: "orchestrator.register(HTTPNetwork.self, as: (any Network).self) { HTTPNetwork($0) }",
            with: "orchestrator.register(HTTPNetwork.self) { HTTPNetwork($0) }"
        ),
        SourceTwin(
            "registered-twice",
            shop,
            replace: "print(\"composed\")",
            with: "orchestrator.register(CartClient.self) { try CartClient($0) }"
        ),
        SourceTwin(
            "registered-not",
            stock,
            replace: "orchestrator.register(StockClient.self) { StockClient($0) }",
            with: "// StockClient"
        ),
        SourceTwin(
            "registered-twice",
            stock,
            replace: "print(\"composed\")",
            with: "orchestrator.register(StockHandler.self) { try StockHandler($0) }"
        ),
    ]

    @Test("A twin that differs in one line is found, and the other is not (5.B.6)", arguments: twins)
    func twin(_ twin: SourceTwin) throws {
        #expect(twin.differsInOneLine)
        #expect(try twin.findings(in: twin.good) == [])
        #expect(try twin.findings(in: twin.bad).count == 1)
    }

    @Test("A cycle has the shortest path and a place for each dependency (TL-V11)")
    func path() throws {
        let twin = Self.twins[0]
        let finding = try #require(try twin.findings(in: twin.bad).first)
        #expect(
            finding.message == "The capabilities form a cycle: A → C → A. Move what both need into a third capability."
        )
        #expect(finding.location.start.line == 6)
        #expect(finding.notes.map(\.message) == ["C resolves A"])
        #expect(finding.notes.map(\.location.start.line) == [18])
        #expect(finding.identity == "A → C → A")
    }

    @Test("A context that is registered as recursive may contain itself (R8)")
    func recursive() throws {
        let twin = Self.twins[1]
        let recursive = twin.bad.replacing("register(Inner.self)", with: "register(Inner.self, recursive: true)")
        #expect(try twin.findings(in: twin.bad).map(\.identity) == ["Inner → Outer → Inner"])
        #expect(try twin.findings(in: recursive) == [])
    }

    @Test("Two types of one generic type are two components")
    func generics() {
        let source = """
            import Axiom

            actor Numbered<Number>: Capability {
                init(_ scope: borrowing CapabilityScope) throws { _ = try scope.capability(Numbered<Int>.self) }
            }

            func compose(_ orchestrator: Orchestrator) {
                orchestrator.register(Numbered<String>.self) { try Numbered<String>($0) }
                orchestrator.register(Numbered<Bool>.self) { try Numbered<Bool>($0) }
            }
            """
        for rule in RuleCatalog.all where ["capability-cycle", "registered-twice"].contains(rule.id) {
            #expect(SourceTwin.findings(of: rule, in: ["Sources/Shop/Shop.swift": source]) == [])
        }
    }

    @Test("A missing registration names the component that needs it, and the declaration (5.B.6)")
    func missing() throws {
        let twin = Self.twins[2]
        let finding = try #require(try twin.findings(in: twin.bad).first)
        #expect(
            finding.message
                == "CartContext resolves CartClient, which nothing registers. Call register(CartClient.self) before start()."
        )
        #expect(finding.identity == "CartContext/CartClient")
        #expect(finding.notes.map(\.location.start.line) == [9])
    }

    @Test(
        "The message names the registration that the type needs",
        arguments: [
            ("Clock", "actor Clock: Capability {}", "register(Clock.self)"),
            ("any Source", "protocol Source: Sendable {}", "register(…, as: (any Source).self)"),
            ("Settings", "struct Settings: Sendable {}", "register(…, as: Settings.self)"),
        ]
    )
    func remedy(type: String, declaration: String, registration: String) throws {
        let twin = Self.twins[2]
        let resolved = type.hasPrefix("any ") ? "(\(type)).self" : "\(type).self"
        let source = twin.good.replacing("scope.capability((any Network).self)", with: "scope.capability(\(resolved))")
        let findings = try twin.findings(in: source + "\n\(declaration)\n")
        #expect(findings.count == 1)
        #expect(findings.first?.message.hasSuffix("Call \(registration) before start().") == true, "\(findings)")
    }

    @Test(
        "A part of a project has no missing registrations, and a registration by a generic function hides them (5.B.6)"
    )
    func silence() throws {
        let twin = Self.twins[2]
        var environment = ProjectEnvironment()
        environment.isWhole = false
        #expect(try twin.findings(in: twin.bad, environment) == [])
        let generic = """

            extension Orchestrator {
                func add<C: Client & Component>(_ type: C.Type) { register(type) { try make($0) } }
            }
            """
        #expect(try twin.findings(in: twin.bad + generic) == [])
    }

    @Test("Registrations in two branches, or with two orchestrators, are not twice the same (5.B.6)")
    func branches() throws {
        let twin = Self.twins[4]
        let branches = """
            import Axiom
            actor A: Capability { init(_ scope: borrowing CapabilityScope) {} }
            func compose(_ one: Orchestrator, _ two: Orchestrator, isTest: Bool) {
                if isTest { one.register(A.self) { A($0) } } else { one.register(A.self) { A($0) } }
                two.register(A.self) { A($0) }
                two.override(A.self) { A($0) }
                #if DEBUG
                two.register(A.self) { A($0) }
                #endif
            }
            """
        #expect(try twin.findings(in: branches) == [])
    }
}
