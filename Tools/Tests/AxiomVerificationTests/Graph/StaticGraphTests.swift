// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("Static graph of components", .timeLimit(.minutes(10)))
struct StaticGraphTests {
    private static let source = """
        import Axiom

        actor Disk: Capability {
            static let componentName = "Store"
            init(_ scope: borrowing CapabilityScope) {}
        }

        struct Queue {
            init(_ scope: borrowing ClientScope) throws { disk = try scope.capability(Disk.self) }
        }

        func clock(_ scope: borrowing ClientScope) throws -> CapabilityRef<Clock> { try scope.capability(Clock.self) }

        actor Clock: Capability {}

        actor Cart: Client, Component {
            init(_ scope: borrowing ClientScope) throws {
                queue = try Queue(scope)
                time = try clock(scope)
            }
        }

        final class CartContext: Context {
            let cart: any Client<CartState, CartAction>
        }

        struct CartView: Presentation {
            let context: CartContext
        }

        func compose(_ orchestrator: Orchestrator) {
            orchestrator.register(Cart.self) { try Cart($0) }
            orchestrator.register(CartContext.self) { scope in CartContext(cart: try scope.client(Cart.self)) }
        }
        """

    private func names(_ graph: StaticGraph) -> [String] {
        graph.edges.map { "\(graph.nodes[$0.from].name) → \(graph.nodes[$0.to].name)" }
    }

    @Test("What factories, bodies, and functions with the scope resolve are dependencies, with their places (5.B.9)")
    func edges() {
        let graph = StaticGraph(SourceTwin.project(["Sources/Shop/Shop.swift": Self.source]))
        #expect(names(graph) == ["CartView → CartContext", "CartContext → Cart", "Cart → Clock", "Cart → Store"])
        #expect(graph.edges.map { $0.places.map(\.start.line) } == [[28], [33], [12], [9]])
        #expect(graph.nodes.map(\.registrations.count) == [0, 1, 1, 0, 0])
    }

    @Test("Dot and Mermaid are the same on each run, and mark what is not registered (5.B.9)")
    func texts() {
        let graph = StaticGraph(SourceTwin.project(["Sources/Shop/Shop.swift": Self.source]))
        #expect(
            graph.mermaid == """
                flowchart TD
                  subgraph presentations
                    n0["CartView"]
                  end
                  subgraph contexts
                    n1["CartContext"]
                  end
                  subgraph clients
                    n2["Cart"]
                  end
                  subgraph capabilities
                    n3["Clock"]
                    n4["Store"]
                  end
                  n0 --> n1
                  n1 --> n2
                  n2 --> n3
                  n2 --> n4
                  classDef notRegistered stroke-dasharray: 4 4
                  class n3,n4 notRegistered

                """
        )
        #expect(graph.dot.contains("    n4 [label = \"Store\\ncapability\", style = dashed];\n"))
        #expect(graph.dot.hasSuffix("  n0 -> n1;\n  n1 -> n2;\n  n2 -> n3;\n  n2 -> n4;\n}\n"))
    }

    @Test("A request handler is a node of the kind request, with its registration and the clients that it resolves")
    func handlers() {
        let source = """
            import Axiom

            actor Stock: Client, Component { init(_ scope: borrowing ClientScope) {} }

            enum Desk {
                final class Taking: RequestHandler {
                    static let componentName = "Take"
                    init(_ scope: borrowing HandlerScope) throws { stock = try scope.client(Stock.self) }
                }
                final class Counting {
                    init(_ scope: borrowing HandlerScope) throws { stock = try scope.client(Stock.self) }
                }
            }

            typealias Take = Desk.Taking
            extension Desk.Counting: RequestHandler {}

            func compose(_ orchestrator: Orchestrator) -> Endpoint<Take> {
                orchestrator.register(Stock.self) { Stock($0) }
                let limits = RequestLimits(inFlight: 100, waiting: 50)
                return orchestrator.register(Take.self, limits: limits) { try Take($0) }
            }
            """
        let graph = StaticGraph(SourceTwin.project(["Sources/Shop/Shop.swift": source]))
        #expect(names(graph) == ["Counting → Stock", "Take → Stock"])
        #expect(
            graph.nodes.map { "\($0.kind.rawValue) \($0.type)" } == [
                "request Desk.Counting", "request Desk.Taking", "client Stock",
            ]
        )
        #expect(graph.nodes.map { $0.registrations.map(\.start.line) } == [[], [21], [19]])
        #expect(graph.mermaid.contains("  subgraph handlers\n    n0[\"Counting\"]\n    n1[\"Take\"]\n  end\n"))
    }

    @Test("The order of nodes and edges does not depend on that of the input (5.B.10)", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SeededShuffle(seed: seed)
        let place = SourceText(path: "A.swift", bytes: Array("abc".utf8)).span(0..<1)
        let nodes = (0..<12).map { StaticGraph.Node(StaticGraph.Kind.allCases[$0 % 5], "N\($0)", at: place) }
        let ends = (0..<30).map { ($0 % 12, ($0 * 7 + 3) % 12) }
        let first = StaticGraph(nodes: nodes, edges: ends.map { (from: $0, to: $1, place: place) })
        let order = Array(0..<12).shuffled(using: &random)
        let moved = order.map { nodes[$0] }
        let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        let edges = ends.shuffled(using: &random).map { (from: numbers[$0] ?? 0, to: numbers[$1] ?? 0, place: place) }
        #expect(StaticGraph(nodes: moved, edges: edges) == first, "seed \(seed)")
    }

    @Test("JSON has the places of components, registrations and dependencies (5.B.9)")
    func json() throws {
        let graph = StaticGraph(SourceTwin.project(["Sources/Shop/Shop.swift": Self.source]))
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(try graph.json().utf8)) as? [String: Any]
        )
        #expect(document["schemaVersion"] as? Int == 1)
        let components = try #require(document["components"] as? [[String: Any]])
        #expect(components.map { $0["type"] as? String } == ["CartView", "CartContext", "Cart", "Clock", "Disk"])
        #expect((document["dependencies"] as? [[String: Any]])?.count == 4)
    }
}

/// A generator for a seed.
private struct SeededShuffle: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
