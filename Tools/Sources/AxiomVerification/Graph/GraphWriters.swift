// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax
internal import Foundation

extension StaticGraph {
    /// The graph in the language of Graphviz. Components of one kind have one rank; a component that is not registered is dashed.
    package var dot: String {
        var lines = ["digraph Axiom {", "  rankdir = TB;", "  node [shape = box];"]
        for kind in Kind.allCases.reversed() {
            let numbers = nodes.indices.filter { nodes[$0].kind == kind }
            guard !numbers.isEmpty else { continue }
            lines.append("  { rank = same;  // \(kind.rawValue)")
            for number in numbers {
                let style = isRegistered(number) ? "" : ", style = dashed"
                let label = quoted("\(nodes[number].name)\n\(kind.rawValue)", lineBreak: "\\n")
                lines.append("    n\(number) [label = \(label)\(style)];")
            }
            lines.append("  }")
        }
        lines += edges.map { "  n\($0.from) -> n\($0.to);" }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    /// The graph in the language of Mermaid, which GitHub draws.
    package var mermaid: String {
        var lines = ["flowchart TD"]
        for kind in Kind.allCases.reversed() {
            let numbers = nodes.indices.filter { nodes[$0].kind == kind }
            guard !numbers.isEmpty else { continue }
            lines.append("  subgraph \(kind.plural)")
            lines += numbers.map { "    n\($0)[\(quoted(nodes[$0].name, lineBreak: "<br>"))]" }
            lines.append("  end")
        }
        lines += edges.map { "  n\($0.from) --> n\($0.to)" }
        let dashed = nodes.indices.filter { !isRegistered($0) }.map { "n\($0)" }
        if !dashed.isEmpty {
            lines += [
                "  classDef notRegistered stroke-dasharray: 4 4",
                "  class \(dashed.joined(separator: ",")) notRegistered",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Presentations are not registered.
    private func isRegistered(_ node: Int) -> Bool {
        nodes[node].kind == .presentation || !nodes[node].registrations.isEmpty
    }

    private func quoted(_ text: String, lineBreak: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "&quot;").replacing(
            "\n",
            with: lineBreak
        )
        return "\"\(escaped)\""
    }

    private struct Document: Encodable {
        struct Place: Encodable {
            var path: String
            var line: Int
            var column: Int

            init(_ span: SourceSpan) {
                (path, line, column) = (span.path, span.start.line, span.start.column)
            }
        }

        struct Component: Encodable {
            var kind: Kind
            var name: String
            var type: String
            var module: String
            var place: Place
            var registrations: [Place]
        }

        struct Dependency: Encodable {
            var from: Int
            var to: Int
            var places: [Place]
        }

        var schema = "axiom-verify/graph"
        var schemaVersion = 1
        var components: [Component]
        /// `from` and `to` are positions in `components`.
        var dependencies: [Dependency]
    }

    /// The graph with the places of its components, registrations and dependencies.
    package func json() throws -> String {
        let components = nodes.map { node in
            Document.Component(
                kind: node.kind,
                name: node.name,
                type: node.type,
                module: node.module,
                place: Document.Place(node.place),
                registrations: node.registrations.map(Document.Place.init)
            )
        }
        let dependencies = edges.map {
            Document.Dependency(from: $0.from, to: $0.to, places: $0.places.map(Document.Place.init))
        }
        return try GraphJSON.encode(Document(components: components, dependencies: dependencies))
    }
}

/// JSON as all documents of the tool are written.
enum GraphJSON {
    static func encode(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
}
