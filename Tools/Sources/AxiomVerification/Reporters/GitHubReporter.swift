// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Workflow commands of GitHub Actions, which the web page shows beside the lines of a pull request.
package struct GitHubReporter: Reporter {
    package init() {}

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        for file in verdict.unreadableFiles {
            output.write(Self.command("error", at: file.location, title: "unreadable-file", file.message))
        }
        for finding in verdict.findings {
            var message = finding.message
            for note in finding.notes {
                message += "\n\(note.location.path):\(note.location.start.line): \(note.message)"
            }
            if let fix = finding.fix { message += "\nhelp: \(fix.title) (\(fix.safety.command))" }
            let kind = finding.severity.gitHubCommand
            output.write(Self.command(kind, at: finding.location, title: finding.rule.rawValue, message))
        }
        for entry in verdict.staleEntries {
            let path = Self.property(verdict.baselinePath)
            let message = Self.data(ReportWords.stale(entry, verdict.baselinePath))
            output.write("::error file=\(path),line=1,title=stale-baseline::\(message)\n")
        }
        output.write(ReportWords.summary(verdict) + "\n")
    }

    private static func command(_ kind: String, at span: SourceSpan, title: String, _ message: String) -> String {
        var properties = ["file=\(property(span.path))", "line=\(span.start.line)"]
        if span.end.line > span.start.line {
            // GitHub refuses columns of annotations with several lines.
            properties.append("endLine=\(span.end.line)")
        } else {
            properties += ["col=\(span.start.column)", "endColumn=\(max(span.end.column, span.start.column))"]
        }
        properties.append("title=\(property("axiom-verify: \(title)"))")
        return "::\(kind) \(properties.joined(separator: ","))::\(data(message))\n"
    }

    /// Escapes the text of a command.
    private static func data(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Escapes a property of a command.
    private static func property(_ text: String) -> String {
        var escaped = ""
        for scalar in data(text).unicodeScalars {
            switch scalar {
            case ":": escaped += "%3A"
            case ",": escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Severity {
    var gitHubCommand: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .information: "notice"
        }
    }
}
