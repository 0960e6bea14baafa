// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// What a run judges, and how.
package struct VerifierConfiguration: Sendable {
    /// Rules that run though they are off by default.
    package var enabled: Set<RuleID> = []
    /// Rules that do not run.
    package var disabled: Set<RuleID> = []
    /// Other severities than those of the rules.
    package var severities: [RuleID: Severity] = [:]
    /// What rules know besides the source.
    package var environment = ProjectEnvironment()

    package init() {}

    package func runs(_ rule: Rule) -> Bool {
        (rule.isOnByDefault || enabled.contains(rule.id)) && !disabled.contains(rule.id)
    }
}

/// Judges the files of a project: reads facts, runs rules, and applies the comments that accept findings.
package struct Verifier: Sendable {
    package let configuration: VerifierConfiguration
    /// The rules that run, in order of their names.
    package let rules: [Rule]

    package init(_ configuration: VerifierConfiguration = VerifierConfiguration(), rules: [Rule] = RuleCatalog.all) {
        self.configuration = configuration
        self.rules = rules.filter { configuration.runs($0) }.map { rule in
            var rule = rule
            if let severity = configuration.severities[rule.id] { rule.severity = severity }
            return rule
        }
    }

    /// Judges facts, such as those of a cache. The caller supplies the texts that a reporter shows.
    package func judge(_ facts: [FileFacts]) -> ProjectVerdict {
        var project = ProjectFacts(files: facts)
        project.environment = configuration.environment
        let modules = Dictionary(project.files.map { ($0.path, $0.module) }) { first, _ in first }
        var all = Findings()
        for rule in rules {
            var findings = Findings(for: rule)
            rule.check(project, &findings)
            for finding in findings.all { all.add(restamped(finding, rule, in: modules[finding.location.path] ?? "")) }
        }
        var verdict = ProjectVerdict()
        verdict.rules = rules
        verdict.fileCount = project.files.count
        verdict.unreadableFiles = project.files.compactMap(Self.unreadable)
        (verdict.findings, verdict.accepted) = SuppressionJudge(project, rules).judge(all)
        verdict.metrics = FileMetrics.all(of: project, verdict.findings)
        return verdict
    }

    /// A configured severity applies to all findings of the rule, also to those with a severity of their own. The module is part
    /// of an identity: types of two modules may have one name.
    private func restamped(_ finding: Finding, _ rule: Rule, in module: String) -> Finding {
        var finding = finding
        if let severity = configuration.severities[rule.id] { finding.severity = severity }
        if !module.isEmpty, !finding.identity.hasPrefix(module + "/") {
            finding.identity = "\(module).\(finding.identity)"
        }
        return finding
    }

    private static func unreadable(_ file: FileFacts) -> ProjectVerdict.UnreadableFile? {
        file.syntaxError.map {
            ProjectVerdict.UnreadableFile(
                at: file.span($0),
                message: file.isTooDeep
                    ? "The code has more than \(TreeDepth.limit) levels of calls, branches or types in each other, and is not "
                        + "read. Split it, or exclude the file."
                    : "The parser does not understand this, so the file may have findings that are not reported. Correct the "
                        + "code, or exclude the file."
            )
        }
    }
}
