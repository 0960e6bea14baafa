// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The components of a running application and the dependencies that they resolved, from `/api/snapshot` of an exporter.
package struct ObservedGraph: Sendable, Hashable {
    /// The kind and the name of a component.
    package struct Name: Sendable, Hashable, Comparable, Encodable, CustomStringConvertible {
        package var kind: String
        package var name: String

        package init(_ kind: String, _ name: String) {
            (self.kind, self.name) = (kind, name)
        }

        package var description: String { "\(kind) \(name)" }

        package static func < (left: Self, right: Self) -> Bool { (left.kind, left.name) < (right.kind, right.name) }
    }

    package struct Edge: Sendable, Hashable, Comparable {
        package var from: Name
        package var to: Name

        package init(_ from: Name, _ to: Name) {
            (self.from, self.to) = (from, to)
        }

        package static func < (left: Self, right: Self) -> Bool { (left.from, left.to) < (right.from, right.to) }
    }

    /// A file that is no snapshot.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Snapshot: Decodable {
        struct Component: Decodable {
            var id: Int
            var kind: String
            var name: String
            var created: Int?
        }

        struct Edge: Decodable {
            var from: Int
            var to: Int
        }

        var schema: String
        var components: [Component]
        var edges: [Edge]
    }

    package var components: Set<Name> = []
    /// The components of which an instance was made.
    package var made: Set<Name> = []
    package var edges: Set<Edge> = []

    package init() {}

    /// Reads a snapshot. The orchestrator, which every component belongs to, is left out.
    package init(snapshot: Data) throws(Failure) {
        let document: Snapshot
        do {
            document = try JSONDecoder().decode(Snapshot.self, from: snapshot)
        } catch {
            throw Failure(description: "it is no answer of /api/snapshot: \(Self.text(of: error))")
        }
        guard document.schema == "axiom/snapshot" else {
            throw Failure(description: "its schema is \(document.schema), and not axiom/snapshot")
        }
        let names = Dictionary(document.components.map { ($0.id, Name($0.kind, $0.name)) }) { first, _ in first }
        let parts = document.components.filter { $0.kind != "orchestrator" }
        components = Set(parts.map { Name($0.kind, $0.name) })
        // A presentation is not counted. It was shown if it has a dependency.
        made = Set(parts.filter { ($0.created ?? 1) > 0 }.map { Name($0.kind, $0.name) })
        for edge in document.edges {
            guard let from = names[edge.from], let to = names[edge.to] else {
                throw Failure(description: "its dependency \(edge.from) → \(edge.to) names no component")
            }
            if from.kind != "orchestrator" { edges.insert(Edge(from, to)) }
        }
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "it has no \(key.stringValue)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\(context.codingPath.map(\.stringValue).joined(separator: ".")) has another type"
        default: "it is no JSON"
        }
    }
}
