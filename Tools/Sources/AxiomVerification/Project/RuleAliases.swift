// SPDX-License-Identifier: Apache-2.0

/// Other names of rules, for projects that have them in the configuration of another tool.
package enum RuleAliases: String, Sendable, CaseIterable {
    /// The names of the custom rules for SwiftLint.
    case swiftlint

    private static let names: [RuleID: RuleID] = [
        "client-holds-client": "client_capability_only", "client-reaches-up": "client_capability_only",
        "context-uses-capability": "context_client_only", "capability-is-leaf": "capability_no_dependencies",
        "capability-reaches-up": "capability_no_dependencies", "presentation-one-context": "view_single_context",
    ]

    /// The verdict with the other names of rules. Rules without one keep theirs.
    package func applied(to verdict: ProjectVerdict) -> ProjectVerdict {
        var result = verdict
        func renamed(_ finding: Finding) -> Finding {
            var finding = finding
            finding.rule = Self.names[finding.rule] ?? finding.rule
            return finding
        }
        result.findings = verdict.findings.map(renamed)
        result.accepted = verdict.accepted.map { .init(renamed($0.finding), by: $0.source, because: $0.reason) }
        var seen = Set<RuleID>()
        result.rules = verdict.rules.compactMap { rule in
            var rule = rule
            rule.id = Self.names[rule.id] ?? rule.id
            return seen.insert(rule.id).inserted ? rule : nil
        }
        return result
    }
}

/// The configuration for SwiftLint that `axiom-verify swiftlint-config` prints.
package enum SwiftLintConfiguration {
    package static let text = """
        # Made by `axiom-verify swiftlint-config`. Paste it into .swiftlint.yml.
        #
        # SwiftLint matches text, so these rules see only the plain cases, while someone types. The exact check, with the same
        # names, follows types across files:
        #
        #     axiom-verify Sources --rule-alias swiftlint
        custom_rules:
          client_capability_only:
            name: "A client depends on capabilities only"
            regex: '(?s)\\bactor\\s+\\w+\\s*:\\s*[^{]*\\bClient\\b[^{]*\\{(?:(?!\\n\\}).)*?\\b(?:let|var)\\s+\\w+\\s*:\\s*(?:any\\s+\\w*Client\\s*<|ClientOf\\s*<)'
            message: "A client has a client: let a context call both. Check with axiom-verify."
            severity: error
          context_client_only:
            name: "A context depends on clients and contexts only"
            regex: '(?s)\\bclass\\s+\\w+\\s*:\\s*[^{]*\\bContext\\b[^{]*\\{(?:(?!\\n\\}).)*?\\b(?:let|var)\\s+\\w+\\s*:\\s*CapabilityRef\\s*<'
            message: "A context has a capability: put it into a client. Check with axiom-verify."
            severity: error
          capability_no_dependencies:
            name: "A capability depends on neither clients nor contexts"
            regex: '(?s)\\bactor\\s+\\w+\\s*:\\s*[^{]*\\bCapability\\b[^{]*\\{(?:(?!\\n\\}).)*?\\b(?:let|var)\\s+\\w+\\s*:\\s*(?:any\\s+\\w*Client\\s*<|ClientOf\\s*<)'
            message: "A capability has a client: turn the dependency round. Check with axiom-verify."
            severity: error
          view_single_context:
            name: "A view has one context"
            regex: '(?s)\\bstruct\\s+\\w+\\s*:\\s*[^{]*\\bPresentation\\b[^{]*\\{(?:(?!\\n\\}).)*?\\b(?:let|var)\\s+\\w+\\s*:\\s*\\w+Context\\b(?:(?!\\n\\}).)*?\\b(?:let|var)\\s+\\w+\\s*:\\s*\\w+Context\\b'
            message: "A view has two contexts: give it one that has the other downstream. Check with axiom-verify."
            severity: error

        """
}
