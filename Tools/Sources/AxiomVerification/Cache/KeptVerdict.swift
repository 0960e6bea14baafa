// SPDX-License-Identifier: Apache-2.0

/// A verdict without texts and rules, as a cache keeps it. A baseline is applied to it later.
struct KeptVerdict: Codable {
    private var findings: [Finding]
    private var accepted: [Verdict.Accepted]
    private var unreadableFiles: [Verdict.UnreadableFile]
    private var metrics: [FileMetrics]
    private var fileCount: Int

    init(_ verdict: Verdict) {
        findings = verdict.findings
        accepted = verdict.accepted
        unreadableFiles = verdict.unreadableFiles
        metrics = verdict.metrics
        fileCount = verdict.fileCount
    }

    func verdict(rules: [Rule]) -> Verdict {
        var verdict = Verdict()
        verdict.findings = findings
        verdict.accepted = accepted
        verdict.unreadableFiles = unreadableFiles
        verdict.metrics = metrics
        verdict.fileCount = fileCount
        verdict.rules = rules
        return verdict
    }
}
