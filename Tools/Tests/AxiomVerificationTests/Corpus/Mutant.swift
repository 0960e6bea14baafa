// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

/// The demo with one seeded violation. `⟦` marks the line of the expected finding; any of several marks will do.
struct Mutant: Sendable {
    let rule: RuleID
    let name: String
    let seed: UInt64
    /// The changed files, with the marks.
    let marked: [String: String]

    /// The changed files.
    var texts: [String: String] { marked.mapValues { $0.replacing("⟦", with: "") } }

    /// The places that are right.
    var lines: Set<String> {
        var lines: Set<String> = []
        for (path, text) in marked {
            var line = 1
            for part in text.split(separator: "⟦", omittingEmptySubsequences: false).dropLast() {
                line += part.utf8.count { $0 == UInt8(ascii: "\n") }
                lines.insert("\(path):\(line)")
            }
        }
        return lines
    }
}

/// Edits of some files, made by offsets in the original texts.
struct Edits {
    private let program: Program
    private(set) var edits: [String: [Edit]] = [:]

    init(_ program: Program) {
        self.program = program
    }

    mutating func insert(_ text: String, at offset: some BinaryInteger, in path: String) {
        replace(Int(offset)..<Int(offset), with: text, in: path)
    }

    mutating func replace(_ range: Range<Int>, with text: String, in path: String) {
        edits[path, default: []].append(Edit(replacing: range, with: text))
    }

    mutating func append(_ text: String, to path: String) {
        insert(text, at: program.texts[path]?.utf8.count ?? 0, in: path)
    }

    /// Imports modules that the file does not import yet.
    mutating func importModules(_ modules: [String], in path: String) {
        guard let facts = program.facts[path] else { return }
        let missing = modules.filter { module in !facts.imports.contains { $0.module == module } }
        let text = missing.map { "internal import \($0)\n" }.joined()
        guard !text.isEmpty else { return }
        insert(text, at: facts.imports.first?.whole.start ?? 0, in: path)
    }

    /// The changed texts.
    var texts: [String: String] {
        edits.reduce(into: [:]) { texts, entry in
            // Stable: insertions at one place keep their order.
            let ordered = entry.value.enumerated().sorted {
                ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
            }
            texts[entry.key] = (program.texts[entry.key] ?? "").applying(ordered.map(\.element))
        }
    }
}

extension Program {
    /// The start of the line of an offset.
    func lineStart(_ offset: some BinaryInteger, in path: String) -> Int {
        let facts = facts[path]
        return Int(facts?.lineStarts.last { $0 <= UInt32(offset) } ?? 0)
    }

    /// The places in the body of a type at which a member may be inserted: line starts.
    func memberPlaces(of type: DemoType) -> [Int] {
        let body = type.declaration.body
        guard text(body, in: type.path).contains("\n") else { return [] }
        let properties = type.declaration.properties.map { lineStart($0.whole.start, in: type.path) }
        return properties.filter { $0 > Int(body.start) } + [lineStart(body.end - 1, in: type.path)]
    }

    /// The places in a function at which a statement may be inserted, with the indentation of the statement.
    func statementPlaces(in function: Function, of path: String) -> [(offset: Int, indent: String)] {
        guard let body = function.body, let facts = facts[path] else { return [] }
        let first = facts.line(of: body.start)
        let last = facts.line(of: body.end)
        guard last > first else { return [] }
        var places: [(offset: Int, indent: String)] = []
        for line in first..<last {
            let (start, end) = (facts.lineStarts[line - 1], facts.lineStarts[line])
            let text = text(FactSpan(Int(start), Int(end)), in: path)
            let indent = String(text.prefix { $0 == " " }) + "    "
            let word = text.drop { $0 == " " }
            let isBlock =
                line == first || word.hasPrefix("do {") || word.hasPrefix("guard ") && word.hasSuffix("else {\n")
            let isCase = (word.hasPrefix("case ") || word.hasPrefix("default:")) && word.hasSuffix(":\n")
            if isBlock && word.hasSuffix("{\n") || isCase { places.append((Int(end), indent)) }
        }
        return places
    }
}
