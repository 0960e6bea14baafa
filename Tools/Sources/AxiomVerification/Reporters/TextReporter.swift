// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// For people: the line of the source with a caret under the token, notes with their places, and the fix as a diff.
package struct TextReporter: Reporter {
    /// Whether the text has the escape sequences of a terminal.
    package var isColored: Bool

    package init(isColored: Bool) {
        self.isColored = isColored
    }

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        for file in verdict.unreadableFiles {
            head("error", "unreadable-file", file.message, to: &output)
            place(file.location, in: verdict.files, mark: "^", to: &output)
            output.write("\n")
        }
        for finding in verdict.findings { report(finding, verdict, to: &output) }
        for entry in verdict.staleEntries {
            head("error", "stale-baseline", ReportWords.stale(entry, verdict.baselinePath), to: &output)
            output.write("\n")
        }
        output.write(ReportWords.summary(verdict) + fixable(verdict) + explained(verdict) + "\n")
    }

    private func report(_ finding: Finding, _ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        let rule = Terminal.visible(finding.rule.rawValue)
        head(finding.severity.word, rule, finding.message, to: &output)
        place(finding.location, in: verdict.files, mark: "^", to: &output)
        for note in finding.notes {
            output.write(paint("note", .cyan) + ": \(Terminal.visible(note.message))\n")
            place(note.location, in: verdict.files, mark: "-", to: &output)
        }
        if let fix = finding.fix { help(fix, FixPreview(finding, in: verdict.files), to: &output) }
        output.write("\n")
    }

    private func head(_ severity: String, _ rule: String, _ message: String, to output: inout some TextOutputStream) {
        let color: Terminal.Color = severity == "error" ? .red : severity == "warning" ? .yellow : .cyan
        output.write(paint("\(severity)[\(rule)]", color) + paint(": \(Terminal.visible(message))", .bold) + "\n")
    }

    /// The place, and the line with marks if the text of the file is known.
    private func place(
        _ span: SourceSpan,
        in files: [String: SourceText],
        mark: Character,
        to output: inout some TextOutputStream
    ) {
        let number = String(span.start.line)
        let margin = String(repeating: " ", count: number.count)
        let path = Terminal.visible(span.path)
        output.write("\(margin)\(paint("-->", .blue)) \(path):\(span.start.line):\(span.start.column)\n")
        guard let text = files[span.path], span.start.line <= text.lineCount else { return }
        let line = MarkedLine(text.line(span.start.line), span)
        let bar = paint("|", .blue)
        let marks = paint(String(repeating: mark, count: line.markWidth), mark == "^" ? .red : .blue)
        output.write("\(margin) \(bar)\n\(paint(number, .blue)) \(bar) \(line.text)\n")
        output.write("\(margin) \(bar) \(String(repeating: " ", count: line.markStart))\(marks)\n")
    }

    private func help(_ fix: Fix, _ preview: FixPreview?, to output: inout some TextOutputStream) {
        output.write(paint("help", .green) + ": \(Terminal.visible(fix.title)) (\(fix.safety.command))\n")
        for hunk in preview?.hunks ?? [] {
            for line in hunk.lines {
                let text = Terminal.visible(line.text.trimmingLineEnd)
                switch line {
                case .kept: output.write("    \(text)\n")
                case .removed: output.write(paint("  - \(text)", .red) + "\n")
                case .added: output.write(paint("  + \(text)", .green) + "\n")
                }
            }
        }
    }

    private func fixable(_ verdict: ProjectVerdict) -> String {
        let safe = verdict.findings.count { $0.fix?.safety == .safe }
        let review = verdict.findings.count { $0.fix?.safety == .review }
        var text = safe == 0 ? "" : " `axiom-verify --fix` mends \(safe)."
        if review > 0 { text += " `axiom-verify --fix --unsafe` changes \(review) more: read the result." }
        return text
    }

    private func explained(_ verdict: ProjectVerdict) -> String {
        guard let rule = verdict.findings.first?.rule.rawValue else { return "" }
        return " `axiom-verify rules explain \(Terminal.visible(rule))` says why, and so for each rule."
    }

    private func paint(_ text: String, _ color: Terminal.Color) -> String {
        isColored ? "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m" : text
    }
}

extension Severity {
    /// The word of reports.
    var word: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .information: "remark"
        }
    }
}

extension String {
    var trimmingLineEnd: String {
        var scalars = unicodeScalars[...]
        while let last = scalars.last, last == "\n" || last == "\r" { scalars.removeLast() }
        return String(scalars)
    }
}
