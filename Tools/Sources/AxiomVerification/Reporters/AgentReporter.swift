// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// For programs that write code: one finding a line, with the lines that mend it.
///
/// ```text
/// Sources/Cart.swift:12:5: warning: CartContext is not final. [final-missing] FIX review {"title":"…","replace":[…]}
/// ```
/// The line begins as those of compilers do, so that editors find the place.
/// `replace` holds whole lines: `{"lines":[12,12],"old":"class CartContext: Context {\n","new":"final class …\n"}`. Lines are
/// counted before any of the replacements; a replacement without old lines inserts after line `lines[0]`.
package struct AgentReporter: Reporter {
    package init() {}

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        for file in verdict.unreadableFiles {
            output.write(Self.line(at: file.location, "error", "unreadable-file", file.message) + "\n")
        }
        for finding in verdict.findings {
            let notes = finding.notes.map { note in
                " NOTE \(Self.plain(note.location.path)):\(note.location.start.line) \(Self.plain(note.message))"
            }
            let line = Self.line(
                at: finding.location,
                finding.severity.word,
                finding.rule.rawValue,
                finding.message
            )
            output.write(line + notes.joined() + Self.fix(finding, verdict) + "\n")
        }
        for entry in verdict.staleEntries {
            let message = Self.plain(ReportWords.stale(entry, verdict.baselinePath))
            output.write("\(Self.plain(verdict.baselinePath)):1:1: error: \(message) [stale-baseline]\n")
        }
        output.write(ReportWords.summary(verdict) + "\n")
    }

    private static func line(at span: SourceSpan, _ severity: String, _ rule: String, _ message: String) -> String {
        "\(plain(span.path)):\(span.start.line):\(span.start.column): \(severity): \(plain(message)) [\(plain(rule))]"
    }

    private static func fix(_ finding: Finding, _ verdict: ProjectVerdict) -> String {
        guard let fix = finding.fix, let preview = FixPreview(finding, in: verdict.files) else { return "" }
        let replacements = preview.hunks.map { hunk -> OrderedJSON in
            let end = hunk.oldLines.isEmpty ? hunk.oldStart : hunk.oldStart + hunk.oldLines.count - 1
            return .object([
                "lines": .array([.integer(hunk.oldStart), .integer(end)]),
                "old": .string(hunk.oldLines.joined()), "new": .string(hunk.newLines.joined()),
            ])
        }
        let value: OrderedJSON = .object(["title": .string(fix.title), "replace": .array(replacements)])
        return " FIX \(fix.safety.rawValue) \(value.line)"
    }

    /// The text in one line.
    private static func plain(_ text: String) -> String {
        Terminal.visible(text)
    }
}
