// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax

@testable import AxiomVerification

/// Verdicts that reporters print.
enum SampleVerdict {
    static let cart = SourceText(
        path: "Sources/Cart.swift",
        bytes: Array("import Axiom\n\nclass CartContext: Context {\n\tlet price = \"é🍵\", net: Network\n}\n".utf8)
    )
    static let price = SourceText(path: "Sources/Price.swift", bytes: Array("actor PriceClient: Client {}\n".utf8))

    /// The offsets of a part of a text.
    static func range(_ part: String, in text: SourceText) -> Range<Int> {
        let (bytes, part) = (text.bytes, Array(part.utf8))
        let start = bytes.indices.first { bytes[$0...].starts(with: part) } ?? 0
        return start..<start + part.count
    }

    /// Two findings with a fix and a note, one that is accepted, a file that does not parse, and a stale entry.
    static var full: ProjectVerdict {
        var verdict = ProjectVerdict()
        let name = range("class", in: cart)
        verdict.findings = [
            Finding(
                rule: "final-missing",
                severity: .warning,
                at: cart.span(name),
                message: "CartContext is a class that is not final.",
                identity: "CartContext",
                fix: Fix(
                    "Add final",
                    edits: [Edit(replacing: name.lowerBound..<name.lowerBound, with: "final ")],
                    safety: .safe
                )
            ),
            Finding(
                rule: "context-uses-capability",
                severity: .error,
                at: cart.span(range("Network", in: cart)),
                message: "CartContext has the capability Network.",
                notes: [.init("PriceClient is here", at: price.span(range("PriceClient", in: price)))],
                identity: "CartContext.net/Network"
            ),
        ]
        var accepted = verdict.findings[1]
        accepted.notes = []
        verdict.accepted = [.init(accepted, by: .comment, because: "until the client exists")]
        let broken = SourceText(path: "Sources/Broken.swift", bytes: Array("struct {\n".utf8))
        verdict.unreadableFiles = [.init(at: broken.span(7..<8), message: "expected a name")]
        verdict.staleEntries = [.init(rule: "client-holds-client", identity: "A.b/C")]
        verdict.fileCount = 3
        verdict.files = [cart.path: cart, price.path: price, broken.path: broken]
        verdict.rules = ["client-holds-client", "context-uses-capability", "final-missing"].map(rule)
        return verdict
    }

    /// A verdict whose every text has what formats give a meaning to.
    static var hostile: ProjectVerdict {
        let text = "\u{1b}[31m\"'<&>]]>%\r\n::error::\\,:\0\u{8}\u{202e}\u{feff}\u{ffff}\u{2028}🍵"
        let path = "Sources/\(text.filter { $0 != "\r\n" && $0 != "\0" }).swift"
        let source = SourceText(path: path, bytes: Array("let a = \"\(text)\"\n".utf8) + [0xFF, 0xC0])
        var verdict = ProjectVerdict()
        let finding = Finding(
            rule: RuleID(rawValue: text),
            severity: .information,
            at: source.span(4..<9),
            message: text,
            notes: [.init(text, at: source.span(0..<source.bytes.count))],
            identity: text,
            fix: Fix(text, edits: [Edit(replacing: 4..<9, with: text)], safety: .review)
        )
        verdict.findings = [finding]
        verdict.accepted = [.init(finding, by: .baseline, because: text)]
        verdict.unreadableFiles = [.init(at: source.span(3..<3), message: text)]
        verdict.staleEntries = [.init(rule: RuleID(rawValue: text), identity: text)]
        verdict.files = [path: source]
        verdict.fileCount = 1
        return verdict
    }

    static func rule(_ name: String) -> Rule {
        Rule(
            id: RuleID(rawValue: name),
            summary: "Finds \(name).",
            rationale: "Because of \(name).",
            severity: .error
        ) { _, _ in }
    }
}
