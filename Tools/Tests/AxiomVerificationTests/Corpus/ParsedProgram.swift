// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import SwiftParser
import SwiftSyntax

/// The demo with its trees, for mutations that keep its meaning.
struct ParsedProgram: Sendable {
    let program: Program
    let trees: [String: SourceFileSyntax]
    /// The names of types that any file of the demo can use, and that no nested type has.
    let typeNames: Set<String>

    static let demo = ParsedProgram(.demo)

    init(_ program: Program) {
        self.program = program
        trees = program.texts.mapValues { Parser.parse(source: $0) }
        let types = program.facts.values.flatMap(\.declarations).filter { $0.kind != .extension }
        let nested = Set(types.filter { !$0.scope.isEmpty || $0.isFilePrivate }.map(\.name))
        let generic = Set(types.flatMap { $0.generics + $0.associatedTypes }.map(\.name))
        typeNames = Set(types.map(\.name)).subtracting(nested).subtracting(generic)
    }

    /// A random file with its tree.
    func file(_ generator: inout SplitMix64) -> (path: String, tree: SourceFileSyntax) {
        let path = program.paths.randomElement(using: &generator) ?? ""
        return (path, trees[path] ?? Parser.parse(source: ""))
    }

    /// The imports of a file, for another file that gets a part of it.
    func imports(of path: String) -> String {
        (trees[path]?.statements ?? []).compactMap { $0.item.as(ImportDeclSyntax.self)?.trimmedDescription }
            .map { $0 + "\n" }.joined()
    }

    /// A path beside a file that no file has.
    func newPath(beside path: String, _ generator: inout SplitMix64) -> String {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return "\(folder)/Part\(UInt32.random(in: 0...UInt32.max, using: &generator)).swift"
    }

    /// A number for a new name.
    func number(_ generator: inout SplitMix64) -> Int { Int.random(in: 100...999_999, using: &generator) }
}

extension SyntaxProtocol {
    /// The bytes without the trivia around.
    var bytes: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }

    /// The bytes with the trivia around.
    var bytesWithTrivia: Range<Int> { position.utf8Offset..<endPosition.utf8Offset }

    /// The nodes of a kind below this one.
    func all<Node: SyntaxProtocol>(_ kind: Node.Type) -> [Node] {
        var found: [Node] = []
        var waiting = [Syntax(self)]
        while let next = waiting.popLast() {
            if let node = next.as(kind) { found.append(node) }
            waiting += next.children(viewMode: .sourceAccurate)
        }
        return found.sorted { $0.position < $1.position }
    }

    /// Whether a node of a kind contains this one.
    func isInside<Node: SyntaxProtocol>(_ kind: Node.Type) -> Bool {
        var next = parent
        while let node = next {
            if node.is(kind) { return true }
            next = node.parent
        }
        return false
    }
}

extension String {
    /// Without restrictions of access, so that a part of a file can move to another one.
    var withoutPrivate: String {
        replacing("fileprivate ", with: "").replacing("private(set) ", with: "").replacing("private ", with: "")
    }
}
