// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import SwiftSyntax

/// A change of the demo that keeps its meaning. It returns the new texts, nil for a file that is gone; or nothing if the
/// place that the seed chose does not allow it.
struct PreservingMutation: Sendable {
    typealias Changes = @Sendable (ParsedProgram, inout SplitMix64) -> [String: String?]?

    let name: String
    let changes: Changes

    init(_ name: String, _ changes: @escaping Changes) {
        self.name = name
        self.changes = changes
    }

    static let all = [text, names, moves].flatMap(\.self)

    /// Words that a search for text would take for violations.
    private static let words = [
        "CartClient.shared", "Task { await work() }", "try? await client.process(.clear)", "import NoSuchModule",
        "@unchecked Sendable", "store.update { store.update { $0 } }", "axiom:ignored final-missing", "catch {}",
        "private var other: CartClient?", "Thread.sleep(forTimeInterval: 1)", "}", "{", "\\\"", "⟦", "é 漢字 👩‍👩‍👧",
    ]
}

// MARK: - Comments, spaces and line ends

extension PreservingMutation {
    private static let text = [
        PreservingMutation("a comment between two tokens") { demo, generator in
            comment(demo, &generator) { "/* \($0) */ " }
        },
        PreservingMutation("a comment at the end of a line") { demo, generator in
            let (path, tree) = demo.file(&generator)
            let ends = tree.tokens(viewMode: .sourceAccurate).filter { token in
                token.nextToken(viewMode: .sourceAccurate)?.leadingTrivia.first.map(\.isNewline) ?? false
                    && !token.isInside(StringLiteralExprSyntax.self)
            }
            guard let token = ends.randomElement(using: &generator) else { return nil }
            var edits = Edits(demo.program)
            edits.insert(
                "  // \(words.randomElement(using: &generator) ?? "")",
                at: token.endPosition.utf8Offset,
                in: path
            )
            return edits.texts
        },
        PreservingMutation("a comment on a line of its own") { demo, generator in
            comment(demo, &generator) { "// \($0)\n" }
        },
        PreservingMutation("a string") { demo, generator in
            let (path, tree) = demo.file(&generator)
            let bodies = tree.all(FunctionDeclSyntax.self).compactMap(\.body).filter { $0.statements.count > 1 }
            guard let body = bodies.randomElement(using: &generator) else { return nil }
            var edits = Edits(demo.program)
            let word = (words.randomElement(using: &generator) ?? "").replacing("\\\"", with: "")
            edits.insert(" print(\"\(word)\");", at: body.leftBrace.endPosition.utf8Offset, in: path)
            return edits.texts
        },
        PreservingMutation("other line ends") { demo, generator in
            whole(demo, &generator) { text, _ in text.replacing("\n", with: "\r\n") }
        },
        PreservingMutation("a byte order mark") { demo, generator in
            whole(demo, &generator) { text, _ in "\u{FEFF}" + text }
        },
        PreservingMutation("tabs") { demo, generator in
            // At the beginnings of lines alone: a string may have spaces, and no tabs.
            let indent = /^(?: {4})+/.anchorsMatchLineEndings()
            return whole(demo, &generator) { text, _ in
                guard !text.contains("\"\"\"") else { return nil }
                return text.replacing(indent) { String(repeating: "\t", count: $0.output.count / 4) }
            }
        },
        PreservingMutation("more space around lines") { demo, generator in
            whole(demo, &generator) { text, tree in
                text.contains("\"\"\"") ? nil : text.replacing("\n", with: "  \n\n")
            }
        },
        PreservingMutation("lines joined by semicolons") { demo, generator in
            let (path, tree) = demo.file(&generator)
            let lists = tree.all(CodeBlockItemListSyntax.self).filter { list in
                list.count > 1 && list.parent?.is(SourceFileSyntax.self) == false
                    && list.allSatisfy { !$0.description.contains("//") && !$0.description.contains("#") }
            }
            guard let list = lists.randomElement(using: &generator), let first = list.first,
                let second = list.dropFirst().first
            else { return nil }
            var edits = Edits(demo.program)
            edits.replace(first.bytes.upperBound..<second.bytes.lowerBound, with: "; ", in: path)
            return edits.texts
        },
        PreservingMutation("declarations that have nothing to do with it") { demo, generator in
            let (path, _) = demo.file(&generator)
            let number = demo.number(&generator)
            let text = """
                import Axiom
                import Foundation
                struct HTTPClientContext\(number) { var client: CartClient?; var next: CartContext? }
                final class StateStoreView\(number): @unchecked Sendable {
                    static let shared = StateStoreView\(number)()
                    nonisolated(unsafe) static var count = 0
                    func process(_ action: Int) async { Task { try? await self.handle() } }
                    func handle() async throws { do { try await load() } catch { print(error) } }
                    func load() async throws { Self.count += 1; _ = UserDefaults.standard }
                    func wait() { Thread.sleep(forTimeInterval: 1) }
                }
                enum Client\(number) { struct State { var owner: AnyObject? }; enum Action { case run(() -> Void) } }
                protocol Context\(number): Sendable {}
                """
            return [demo.newPath(beside: path, &generator): text]
        },
    ]

    private static func comment(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        _ text: (String) -> String
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let bytes = Array((demo.program.texts[path] ?? "").utf8)
        let isLine = text("").contains("\n")
        let places = tree.tokens(viewMode: .sourceAccurate).filter { token in
            let start = token.bytes.lowerBound
            guard start > 0, !token.isInside(StringLiteralExprSyntax.self) else { return false }
            // Only at the start of a line may a line be inserted; an operator keeps the space on both sides.
            let before = bytes[start - 1]
            return isLine
                ? token.leadingTrivia.contains(where: \.isNewline)
                : before == UInt8(ascii: " ") || before == UInt8(ascii: "\n")
        }
        guard let token = places.randomElement(using: &generator) else { return nil }
        var edits = Edits(demo.program)
        let word = words.randomElement(using: &generator) ?? ""
        edits.insert(text(word), at: token.bytes.lowerBound, in: path)
        return edits.texts
    }

    private static func whole(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        _ change: (String, SourceFileSyntax) -> String?
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        return demo.program.texts[path].flatMap { change($0, tree) }.map { [path: $0] as [String: String?] }
    }
}
