// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax
internal import SwiftSyntax

/// Something that a person has to do or to check.
package struct ManualNote: Sendable, Hashable, Codable {
    package var path: String
    package var line: Int
    package var recipe: String
    package var reason: String
    /// The page that helps, relative to the repository of Axiom.
    package var page: String

    package init(path: String, line: Int, recipe: String, reason: String, page: String) {
        self.path = path
        self.line = line
        self.recipe = recipe
        self.reason = reason
        self.page = page
    }
}

/// A note and its place: an offset in the file that the recipe read.
package struct PlacedNote: Sendable, Hashable {
    package let note: ManualNote
    package let offset: Int
}

/// What a recipe does to one file.
///
/// Comments are never lost: a replacement begins with the comments of what it replaces.
struct Changes {
    let file: ParsedFile
    private let recipe: Recipe.ID
    private var pending: [Edit] = []
    private(set) var notes: [PlacedNote] = []
    /// Functions that were made asynchronous.
    private var asynchronous: Set<SyntaxIdentifier> = []

    init(_ file: ParsedFile, _ recipe: Recipe.ID) {
        self.file = file
        self.recipe = recipe
    }

    // MARK: Edits

    /// Replaces a node. The comments inside of it stay before the new text, each on a line of its own.
    mutating func replace(_ node: some SyntaxProtocol, with text: String) {
        let lines = comments(in: node).map { $0 + "\n" + file.indentation(of: node) }
        pending.append(Edit(replacing: file.range(of: node), with: lines.joined() + text))
    }

    /// Replaces a token or a name, which has few comments inside.
    mutating func rename(_ node: some SyntaxProtocol, to text: String) {
        guard comments(in: node).isEmpty else { return replace(node, with: text) }
        pending.append(Edit(replacing: file.range(of: node), with: text))
    }

    mutating func insert(_ text: String, before node: some SyntaxProtocol) {
        insert(text, at: file.start(of: node))
    }

    mutating func insert(_ text: String, after node: some SyntaxProtocol) {
        insert(text, at: file.range(of: node).upperBound)
    }

    mutating func insert(_ text: String, at offset: Int) {
        pending.append(Edit(replacing: offset..<offset, with: text))
    }

    /// Inserts text at the end of the line of a node, behind a comment there.
    mutating func insert(_ text: String, afterLineOf node: some SyntaxProtocol) {
        insert(text, at: file.endWithComments(of: node))
    }

    /// Whether a function is made asynchronous for the first time.
    mutating func begins(_ function: FunctionDeclSyntax) -> Bool { asynchronous.insert(function.id).inserted }

    mutating func replace(bytes range: Range<Int>, with text: String) {
        pending.append(Edit(replacing: range, with: text))
    }

    /// Removes a declaration or a statement, with its lines if nothing else stands in them.
    mutating func remove(_ node: some SyntaxProtocol) {
        let inner = comments(in: node)
        guard inner.isEmpty else {
            let indentation = file.indentation(of: node)
            pending.append(
                Edit(replacing: file.range(of: node), with: inner.joined(separator: "\n" + indentation))
            )
            return
        }
        pending.append(Edit(replacing: lines(of: file.range(of: node)), with: ""))
    }

    /// Removes a node and the blanks behind it: an attribute, a modifier.
    mutating func removeWord(_ node: some SyntaxProtocol) {
        var range = file.range(of: node)
        let bytes = file.text.bytes
        var end = range.upperBound
        while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
        if end < bytes.count, Self.isLineEnd(bytes[end]) {
            range = lines(of: range)
        } else {
            range = range.lowerBound..<end
        }
        pending.append(Edit(replacing: range, with: ""))
    }

    mutating func note(_ node: some SyntaxProtocol, _ reason: String, section: String? = nil) {
        let page = "Documentation/migrating.md#" + (section ?? recipe.rawValue)
        let note = ManualNote(
            path: file.path,
            line: file.line(of: node),
            recipe: recipe.rawValue,
            reason: reason,
            page: page
        )
        let placed = PlacedNote(note: note, offset: file.start(of: node))
        if !notes.contains(placed) { notes.append(placed) }
    }

    /// The edits in order, without those inside of others, and with the line ends of the file.
    var edits: [Edit] {
        let sorted = pending.enumerated().sorted { left, right in
            let (a, b) = (left.element.range, right.element.range)
            if a.lowerBound != b.lowerBound { return a.lowerBound < b.lowerBound }
            // Insertions come before a replacement; of two replacements the longer one counts.
            if a.isEmpty != b.isEmpty { return a.isEmpty }
            if !a.isEmpty, a.count != b.count { return a.count > b.count }
            return left.offset < right.offset
        }
        var result: [Edit] = []
        for (_, edit) in sorted {
            guard let last = result.last else {
                result.append(edit)
                continue
            }
            if edit.range.lowerBound == last.range.lowerBound, last.range.isEmpty {
                result[result.count - 1] = Edit(replacing: edit.range, with: last.replacement + edit.replacement)
            } else if edit.range.lowerBound >= last.range.upperBound {
                result.append(edit)
            } else if edit.replacement.isEmpty, last.replacement.isEmpty {
                result[result.count - 1].range =
                    last.range.lowerBound..<max(last.range.upperBound, edit.range.upperBound)
            }
        }
        return result.map { $0.withLineEnds(of: file.text) }
    }

    // MARK: Places

    /// The comments inside of a node, those before its first token and after its last one left out.
    private func comments(in node: some SyntaxProtocol) -> [String] {
        var result: [String] = []
        let tokens = Array(node.tokens(viewMode: .sourceAccurate))
        for (index, token) in tokens.enumerated() {
            if index > 0 { result += token.leadingTrivia.compactMap(\.comment) }
            if index < tokens.count - 1 { result += token.trailingTrivia.compactMap(\.comment) }
        }
        return result
    }

    /// The range with the rest of its lines, if only blanks stand there. One of two empty lines around it goes too.
    private func lines(of range: Range<Int>) -> Range<Int> {
        let bytes = file.text.bytes
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
        while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
        let beginsLine = start == 0 || Self.isLineEnd(bytes[start - 1]) || (start == 3 && bytes[0] == 0xEF)
        guard beginsLine, end == bytes.count || Self.isLineEnd(bytes[end]) else { return range.lowerBound..<end }
        end = Self.afterLineEnd(end, bytes)
        let isAfterEmpty = Self.isEmptyLine(before: start, bytes)
        let next = Self.afterBlanks(end, bytes)
        if isAfterEmpty, next < bytes.count, Self.isLineEnd(bytes[next]) { end = Self.afterLineEnd(next, bytes) }
        // Nor does an empty line stand before the end of a block.
        if isAfterEmpty, next < bytes.count, bytes[next] == UInt8(ascii: "}") {
            start = Self.emptyLine(before: start, bytes)
        }
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    private static func afterBlanks(_ index: Int, _ bytes: [UInt8]) -> Int {
        var index = index
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        return index
    }

    private static func afterLineEnd(_ index: Int, _ bytes: [UInt8]) -> Int {
        guard index < bytes.count else { return index }
        let isPair =
            bytes[index] == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
        return index + (isPair ? 2 : 1)
    }

    /// Where the empty line before the one that begins at `start` begins.
    private static func emptyLine(before start: Int, _ bytes: [UInt8]) -> Int {
        var index = start - 1
        if bytes[index] == UInt8(ascii: "\n"), index > 0, bytes[index - 1] == UInt8(ascii: "\r") { index -= 1 }
        while index > 0, isBlank(bytes[index - 1]) { index -= 1 }
        return index
    }

    /// Whether the line before the one that begins at `start` has only blanks.
    private static func isEmptyLine(before start: Int, _ bytes: [UInt8]) -> Bool {
        guard start > 0 else { return false }
        let index = emptyLine(before: start, bytes)
        return index == 0 || isLineEnd(bytes[index - 1])
    }
}
