// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax
internal import SwiftParser
internal import SwiftSyntax

/// One `import` of a file.
package struct ImportStatement: Sendable, Hashable {
    /// The module: `A` of `import struct A.B`.
    package var module: String
    /// What follows the module: the names of submodules or of a declaration.
    package var submodules: [String] = []
    /// The kind of the imported declaration, such as `struct`; nil for a module.
    package var kind: String?
    /// The access level, such as `public`; nil if none is written.
    package var access: String?
    /// The names of the attributes, such as `testable` and `preconcurrency`.
    package var attributes: [String] = []
    /// The conditions of `#if` around the import, from the outside in.
    package var conditions: [String] = []
    package var span: SourceSpan

    package init(module: String, at span: SourceSpan) {
        self.module = module
        self.span = span
    }

    /// Whether the import is compiled only if a condition holds.
    package var isConditional: Bool { !conditions.isEmpty }
}

extension ImportStatement {
    /// The imports of a file, in their order. Only the part up to the last word `import` is parsed, because imports stand at
    /// the beginning of files as a rule, and a parser takes most of the time.
    package static func all(in text: SourceText) -> [ImportStatement] {
        let end = endOfImports(in: text.bytes)
        guard end > 0, !TreeDepth.isTooDeepToParse(text.bytes) else { return [] }
        return TreeDepth.run(text.bytes) {
            let tree = text.bytes[..<end].withUnsafeBufferPointer { Parser.parse(source: $0) }
            var collector = ImportCollector(text: text)
            collector.collect(tree.statements)
            return collector.imports
        }
    }

    /// The end of the second line after the last word `import`: the path may stand on the next line. 0 without the word.
    private static func endOfImports(in bytes: [UInt8]) -> Int {
        let word = Array("import".utf8)
        guard bytes.count >= word.count else { return 0 }
        var start = bytes.count - word.count
        while start >= 0 {
            if bytes[start] == word[0], bytes[start..<start + word.count].elementsEqual(word) {
                return lineEnd(after: lineEnd(after: lineEnd(after: start, bytes), bytes), bytes)
            }
            start -= 1
        }
        return 0
    }

    private static func lineEnd(after start: Int, _ bytes: [UInt8]) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        return min(end + 1, bytes.count)
    }
}

/// Collects the imports at the top level of a file, also those in `#if`.
private struct ImportCollector {
    let text: SourceText
    var imports: [ImportStatement] = []
    private var conditions: [String] = []

    init(text: SourceText) {
        self.text = text
    }

    mutating func collect(_ items: CodeBlockItemListSyntax) {
        for item in items {
            if let declaration = item.item.as(ImportDeclSyntax.self) {
                add(declaration)
            } else if let conditional = item.item.as(IfConfigDeclSyntax.self) {
                collect(conditional)
            }
        }
    }

    private mutating func collect(_ conditional: IfConfigDeclSyntax) {
        var earlier: [String] = []
        for clause in conditional.clauses {
            let own = clause.condition?.trimmedDescription
            conditions.append((earlier.map { "!(\($0))" } + [own].compactMap(\.self)).joined(separator: " && "))
            if case .statements(let items) = clause.elements { collect(items) }
            conditions.removeLast()
            if let own { earlier.append(own) }
        }
    }

    private mutating func add(_ declaration: ImportDeclSyntax) {
        let names = declaration.path.map { Self.name($0.name) }
        guard let module = names.first, !module.isEmpty else { return }
        let start = declaration.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = max(start, declaration.endPositionBeforeTrailingTrivia.utf8Offset)
        var statement = ImportStatement(module: module, at: text.span(start..<end))
        statement.submodules = Array(names.dropFirst())
        statement.kind = declaration.importKindSpecifier?.text
        statement.access = declaration.modifiers.first?.name.text
        statement.attributes = declaration.attributes.compactMap {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription
        }
        statement.conditions = conditions
        imports.append(statement)
    }

    /// A name without back-ticks.
    private static func name(_ token: TokenSyntax) -> String {
        token.presence == .missing
            ? "" : token.text.trimmingPrefix("`").split(separator: "`").first.map(String.init) ?? ""
    }
}
