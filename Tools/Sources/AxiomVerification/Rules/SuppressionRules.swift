// SPDX-License-Identifier: Apache-2.0

/// Comments that accept findings. ``SuppressionJudge`` judges them after all other rules have run.
enum SuppressionRules {
    static let all = [unused, withoutReason]

    static let unused = Rule(
        id: "suppression-unused",
        summary: "A comment accepts a finding that does not exist.",
        rationale: "A comment that accepts nothing would hide the next finding there.",
        severity: .error,
        mayBeBaselined: false,
        mended: "the comment: it is deleted"
    ) { _, _ in }

    static let withoutReason = Rule(
        id: "suppression-without-reason",
        summary: "A comment accepts a finding and does not say why.",
        rationale: "The next reader has to know why the rule does not apply: `// axiom:ignore RULE because …`.",
        severity: .error,
        mayBeBaselined: false,
        mended: "the comment: it is deleted, and the finding shows again"
    ) { _, _ in }
}
