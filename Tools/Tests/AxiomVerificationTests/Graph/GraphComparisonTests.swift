// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("The source against a running application", .timeLimit(.minutes(10)))
struct GraphComparisonTests {
    private static let source = """
        import Axiom
        actor Disk: Capability {}
        actor Cart: Client, Component { init(_ scope: borrowing ClientScope) throws { d = try scope.capability(Disk.self) } }
        final class Screen: Context { init(_ scope: borrowing ContextScope) throws { c = try scope.client(Cart.self) } }
        """

    private func snapshot(_ components: [(String, String, Int)], _ edges: [(Int, Int)]) -> Data {
        let rows = components.enumerated().map { index, row in
            "{\"id\":\(index),\"kind\":\"\(row.0)\",\"name\":\"\(row.1)\",\"created\":\(row.2)}"
        }
        let lines = edges.map { "{\"from\":\($0),\"to\":\($1)}" }
        let text =
            "{\"schema\":\"axiom/snapshot\",\"components\":[\(rows.joined(separator: ","))],"
            + "\"edges\":[\(lines.joined(separator: ","))]}"
        return Data(text.utf8)
    }

    private func compare(_ data: Data) throws -> GraphComparison {
        GraphComparison(
            StaticGraph(SourceTwin.project(["Sources/Shop/A.swift": Self.source])),
            try ObservedGraph(snapshot: data)
        )
    }

    @Test("Equal graphs have no differences (5.B.9)")
    func equal() throws {
        let data = snapshot(
            [
                ("orchestrator", "Orchestrator", 1), ("capability", "Disk", 1), ("client", "Cart", 1),
                ("context", "Screen", 2),
            ],
            [(2, 1), (3, 2), (0, 3)]
        )
        let comparison = try compare(data)
        #expect(comparison.exitCode == 0 && comparison.common == 2)
        #expect(comparison.text == "2 dependencies in both, 0 differences, 0 dependencies not observed.\n")
    }

    @Test("Dependencies of one side are named, and those of components that were never made are no difference (5.B.9)")
    func differences() throws {
        let data = snapshot(
            [("capability", "Disk", 1), ("client", "Cart", 1), ("client", "Hidden", 1), ("context", "Screen", 0)],
            [(2, 0)]
        )
        let comparison = try compare(data)
        #expect(comparison.exitCode == 1)
        #expect(
            comparison.text == """
                only in the application: client Hidden
                only in the application: client Hidden → capability Disk
                only in the source: client Cart → capability Disk at Sources/Shop/A.swift:3:87
                not observed: context Screen → client Cart at Sources/Shop/A.swift:4:86; the context Screen was never made
                0 dependencies in both, 3 differences, 1 dependencies not observed.

                """
        )
        let json = try JSONSerialization.jsonObject(with: Data(try comparison.json().utf8)) as? [String: Any]
        #expect((json?["onlyInApplication"] as? [Any])?.count == 1)
        #expect((json?["onlyInSource"] as? [Any])?.count == 1)
    }

    @Test(
        "Anything else than a snapshot is refused with a reason (5.B.9)",
        arguments: [
            ("", "it is no answer of /api/snapshot: it is no JSON"), ("[]", "it is no answer of /api/snapshot"),
            ("{\"schema\":\"axiom/snapshot\",\"edges\":[]}", "it has no components"),
            ("{\"schema\":\"axiom/state\",\"components\":[],\"edges\":[]}", "its schema is axiom/state"),
            (
                "{\"schema\":\"axiom/snapshot\",\"components\":[],\"edges\":[{\"from\":1,\"to\":2}]}",
                "its dependency 1 → 2 names no component"
            ),
        ]
    )
    func refused(text: String, reason: String) throws {
        let failure = #expect(throws: ObservedGraph.Failure.self) { try ObservedGraph(snapshot: Data(text.utf8)) }
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }

    /// Recorded with `axiom-demo --port 9464 --duration 60s` and `curl 127.0.0.1:9464/api/snapshot`, reduced to the lists that
    /// are read.
    @Test("The source of the demo declares each dependency that the running demo has, and no other (5.B.9)")
    func demo() async throws {
        let root = Repository.root
        let paths = ImportScan.swiftFiles(below: root).filter { $0.hasPrefix("Sources/axiom-demo/") }
        let sources = try paths.reduce(into: [:]) { sources, path in
            sources[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let recording = root.appending(path: "Tools/Tests/AxiomVerificationTests/Snapshots/demo.json")
        let comparison = GraphComparison(
            StaticGraph(SourceTwin.project(sources)),
            try ObservedGraph(snapshot: Data(contentsOf: recording))
        )
        #expect(comparison.isEqual, "\(comparison.text)")
        #expect(comparison.common == 27)
    }
}
