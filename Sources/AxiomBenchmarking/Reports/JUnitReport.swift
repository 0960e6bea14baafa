// SPDX-License-Identifier: Apache-2.0

/// A report for continuous integration: one test case for each metric of each benchmark.
enum JUnitReport {
    static func render(_ report: Report) -> String {
        let findings = report.findings.filter { $0.verdict != .information && $0.verdict != .added }
        let failures = findings.filter(isFailure).count
        let errors = findings.filter { $0.verdict == .crashed }.count
        let skipped = findings.filter { isSkipped($0) }.count
        let head =
            "<testsuite name=\"axiom-bench\" tests=\"\(findings.count)\" failures=\"\(failures)\" "
            + "errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(report.seconds)\">"
        let lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", head] + findings.map(testCase) + ["</testsuite>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func isFailure(_ finding: Report.FindingReport) -> Bool {
        finding.verdict == .regression || finding.verdict == .removed
    }

    private static func isSkipped(_ finding: Report.FindingReport) -> Bool {
        [.inconclusive, .incomparable, .lost].contains(finding.verdict)
    }

    private static func testCase(_ finding: Report.FindingReport) -> String {
        let (name, metric) = (Markup.escaped(finding.benchmark), Markup.escaped(finding.metric))
        let opening = "  <testcase classname=\"\(name)\" name=\"\(metric)\""
        let message = Markup.escaped(words(finding))
        if isFailure(finding) { return "\(opening)><failure message=\"\(message)\"/></testcase>" }
        if finding.verdict == .crashed { return "\(opening)><error message=\"\(message)\"/></testcase>" }
        if isSkipped(finding) { return "\(opening)><skipped message=\"\(message)\"/></testcase>" }
        return "\(opening)/>"
    }

    /// A finding in one line.
    static func words(_ finding: Report.FindingReport) -> String {
        var words = "\(finding.verdict)"
        if let change = finding.change { words += " \(Format.change(change))" }
        if let old = finding.baseline, let new = finding.current {
            words += ", from \(Format.value(old, unit: finding.unit)) to \(Format.value(new, unit: finding.unit))"
        }
        return words + (finding.detail.map { " (\($0))" } ?? "")
    }
}
