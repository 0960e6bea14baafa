// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax
internal import SwiftParser
internal import SwiftSyntax

/// A file and its tree.
package struct ParsedFile: Sendable {
    package let text: SourceText
    let tree: SourceFileSyntax
    /// The bytes before the tree: those of a byte order mark.
    private let base: Int

    package init(_ text: SourceText) {
        self.text = text
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let base = text.bytes.starts(with: mark) ? mark.count : 0
        tree = text.bytes.withUnsafeBufferPointer { Parser.parse(source: UnsafeBufferPointer(rebasing: $0[base...])) }
        self.base = base
    }

    package var path: String { text.path }

    /// Whether the file parses without an error.
    package var parses: Bool { !tree.hasError }

    /// The bytes of the file that the node takes, without the blanks and comments around it.
    func range(of node: some SyntaxProtocol) -> Range<Int> {
        start(of: node)..<(base + node.endPositionBeforeTrailingTrivia.utf8Offset)
    }

    func start(of node: some SyntaxProtocol) -> Int {
        base + node.positionAfterSkippingLeadingTrivia.utf8Offset
    }

    /// The end of a node and of the comments behind it in its line.
    func endWithComments(of node: some SyntaxProtocol) -> Int {
        let last = node.trailingTrivia.pieces.lastIndex { $0.comment != nil }
        let kept = last.map { node.trailingTrivia.pieces[...$0].reduce(0) { $0 + $1.sourceLength.utf8Length } } ?? 0
        return range(of: node).upperBound + kept
    }

    /// The line in which a node begins, counted from 1.
    func line(of node: some SyntaxProtocol) -> Int { text.position(of: start(of: node)).line }

    /// The text of a part of the file.
    func source(_ range: Range<Int>) -> String { String(decoding: text.bytes[range], as: UTF8.self) }

    /// The blanks at the begin of the line in which a node begins.
    func indentation(of node: some SyntaxProtocol) -> String {
        var start = start(of: node)
        while start > base, !Self.isLineEnd(text.bytes[start - 1]) { start -= 1 }
        let blanks = text.bytes[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return String(decoding: blanks, as: UTF8.self)
    }

    /// What the members of a declaration are indented by, relative to the declaration. Four blanks if it has none.
    func step(in members: MemberBlockSyntax) -> String {
        guard let first = members.members.first else { return "    " }
        let (outer, inner) = (indentation(of: members.rightBrace), indentation(of: first))
        return inner.hasPrefix(outer) && inner.count > outer.count ? String(inner.dropFirst(outer.count)) : "    "
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// The types and extensions of the file, outer ones first.
    var types: [TypeNode] {
        let collector = TypeCollector(viewMode: .sourceAccurate)
        collector.walk(tree)
        return collector.types
    }

    /// The modules that the file imports.
    var imports: [(module: String, node: ImportDeclSyntax)] {
        let collector = ImportVisitor(viewMode: .sourceAccurate)
        collector.walk(tree)
        return collector.imports
    }
}

private final class TypeCollector: SyntaxVisitor {
    var types: [TypeNode] = []

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind { add(TypeNode(node)) }

    private func add(_ type: TypeNode) -> SyntaxVisitorContinueKind {
        types.append(type)
        return .visitChildren
    }
}

private final class ImportVisitor: SyntaxVisitor {
    var imports: [(module: String, node: ImportDeclSyntax)] = []

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let module = node.path.first?.name.text { imports.append((module, node)) }
        return .skipChildren
    }
}
