// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Applies the comments `// axiom:ignore RULE REASON`, and judges them.
struct SuppressionJudge {
    private struct Key: Hashable {
        let path: String
        let line: Int
        let rule: String
    }

    private let project: ProjectFacts
    private let rules: Set<RuleID>

    init(_ project: ProjectFacts, _ rules: [Rule]) {
        self.project = project
        self.rules = Set(rules.map(\.id))
    }

    func judge(_ findings: Findings) -> (findings: [Finding], accepted: [ProjectVerdict.Accepted]) {
        let comments = comments()
        var (open, accepted, used) = (Findings(), [ProjectVerdict.Accepted](), Set<Key>())
        for finding in findings.sorted() {
            let key = Key(path: finding.location.path, line: finding.location.start.line, rule: finding.rule.rawValue)
            if let comment = comments[key] {
                used.insert(Key(path: key.path, line: comment.line, rule: key.rule))
                accepted.append(ProjectVerdict.Accepted(finding, by: .comment, because: comment.reason))
            } else {
                open.add(finding)
            }
        }
        for file in project.files {
            for comment in file.suppressions { judge(comment, file, used, &open) }
        }
        return (open.sorted(), accepted)
    }

    /// The comments by the lines that they cover. A comment above a declaration covers its attributes and its name.
    private func comments() -> [Key: Suppression] {
        var comments: [Key: Suppression] = [:]
        for file in project.files {
            for comment in file.suppressions where !comment.rule.isEmpty {
                var last = comment.line
                for declaration in file.declarations where file.line(of: declaration.whole.start) == comment.line {
                    last = max(last, file.line(of: declaration.span.start))
                }
                for line in comment.line...last {
                    comments[Key(path: file.path, line: line, rule: comment.rule)] = comment
                }
            }
        }
        return comments
    }

    private func judge(_ comment: Suppression, _ file: FileFacts, _ used: Set<Key>, _ open: inout Findings) {
        let edit = Edit(replacing: comment.removal.offsets, with: "")
        let fix = Fix("Delete the comment", edits: [edit], safety: .safe)
        if comment.reason.isEmpty, rules.contains("suppression-without-reason") {
            open.add(
                Finding(
                    rule: "suppression-without-reason",
                    severity: .error,
                    at: file.span(comment.span),
                    message: "This comment does not say why the finding is accepted. Write the reason behind the rule.",
                    identity: "\(file.path)/\(comment.rule)",
                    fix: fix
                )
            )
        }
        guard !comment.rule.isEmpty, rules.contains("suppression-unused"),
            !used.contains(Key(path: file.path, line: comment.line, rule: comment.rule)), isJudged(comment.rule)
        else { return }
        open.add(
            Finding(
                rule: "suppression-unused",
                severity: .error,
                at: file.span(comment.span),
                message: "No finding of `\(comment.rule)` is here. Delete the comment.",
                identity: "\(file.path)/\(comment.rule)",
                fix: fix
            )
        )
    }

    /// A comment for a rule that exists and does not run may be needed at another time.
    private func isJudged(_ name: String) -> Bool {
        rules.contains(RuleID(rawValue: name)) || !RuleCatalog.all.contains { $0.id.rawValue == name }
    }
}
