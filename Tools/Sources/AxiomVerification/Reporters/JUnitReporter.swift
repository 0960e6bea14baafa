// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Test cases for continuous integration: a failed case for each finding, a skipped one for each accepted finding, and a
/// passed one for each rule that found nothing.
package struct JUnitReporter: Reporter {
    package init() {}

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        let failing = verdict.findings.filter { $0.severity != .information }
        let found = Set(verdict.findings.map(\.rule))
        let passed = verdict.rules.filter { !found.contains($0.id) }
        let errors = verdict.unreadableFiles.count + verdict.staleEntries.count
        let tests = verdict.findings.count + verdict.accepted.count + passed.count + errors
        let counts =
            "tests=\"\(tests)\" failures=\"\(failing.count)\" errors=\"\(errors)\" skipped=\"\(verdict.accepted.count)\""
        output.write(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"axiom-verify\" \(counts) time=\"0\">\n"
        )
        output.write("  <testsuite name=\"axiom-verify\" \(counts) time=\"0\">\n")
        for file in verdict.unreadableFiles { output.write(Self.unreadable(file)) }
        for finding in verdict.findings { output.write(Self.failed(finding)) }
        for entry in verdict.staleEntries { output.write(Self.stale(entry, verdict.baselinePath)) }
        for accepted in verdict.accepted { output.write(Self.skipped(accepted)) }
        for rule in passed {
            output.write(
                "    <testcase classname=\"axiom-verify\" name=\"\(XMLText.escaped(rule.id.rawValue))\" time=\"0\"/>\n"
            )
        }
        output.write("  </testsuite>\n</testsuites>\n")
    }

    private static func failed(_ finding: Finding) -> String {
        let head = testCase(finding.rule.rawValue, at: finding.location)
        // Remarks do not fail a run.
        guard finding.severity != .information else {
            return "\(head)<system-out>\(XMLText.escaped(body(finding)))</system-out></testcase>\n"
        }
        let attributes = "message=\"\(XMLText.escaped(finding.message))\" type=\"\(finding.severity.word)\""
        return "\(head)<failure \(attributes)>\(XMLText.escaped(body(finding)))</failure></testcase>\n"
    }

    private static func body(_ finding: Finding) -> String {
        let place = "\(finding.location.path):\(finding.location.start.line):\(finding.location.start.column)"
        var lines = ["\(place): \(finding.severity.word): \(finding.message)"]
        for note in finding.notes {
            lines.append("\(note.location.path):\(note.location.start.line): note: \(note.message)")
        }
        if let fix = finding.fix { lines.append("help: \(fix.title) (\(fix.safety.command))") }
        return lines.joined(separator: "\n")
    }

    private static func skipped(_ accepted: ProjectVerdict.Accepted) -> String {
        let reason = "accepted by a \(accepted.source.rawValue): \(accepted.reason)"
        return testCase(accepted.finding.rule.rawValue, at: accepted.finding.location)
            + "<skipped message=\"\(XMLText.escaped(reason))\"/></testcase>\n"
    }

    private static func unreadable(_ file: ProjectVerdict.UnreadableFile) -> String {
        testCase("unreadable-file", at: file.location)
            + "<error message=\"\(XMLText.escaped(file.message))\" type=\"unreadable-file\"/></testcase>\n"
    }

    private static func stale(_ entry: ProjectVerdict.StaleEntry, _ baseline: String) -> String {
        let name = XMLText.escaped("\(entry.rule.rawValue) for \(entry.identity)")
        return "    <testcase classname=\"\(XMLText.escaped(baseline))\" name=\"\(name)\" time=\"0\">"
            + "<error message=\"\(XMLText.escaped(ReportWords.stale(entry, baseline)))\" type=\"stale-baseline\"/></testcase>\n"
    }

    private static func testCase(_ rule: String, at span: SourceSpan) -> String {
        let path = XMLText.escaped(span.path)
        let name = XMLText.escaped("\(rule) at \(span.start.line):\(span.start.column)")
        return
            "    <testcase classname=\"\(path)\" name=\"\(name)\" file=\"\(path)\" line=\"\(span.start.line)\" time=\"0\">"
    }
}

/// Text of XML 1.0.
enum XMLText {
    /// The text for an attribute or an element. Characters that XML cannot hold become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            // Readers would make a space of it in an attribute.
            case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
            case "\0"..<" ", "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
