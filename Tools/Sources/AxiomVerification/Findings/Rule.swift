// SPDX-License-Identifier: Apache-2.0

/// The name of a rule, such as `client-holds-client`. It is a contract: baselines, suppressions and reports use it.
package struct RuleID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral {
    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

/// How bad a finding is. Errors and warnings fail a run; information does not.
package enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
    case error, warning, information
}

/// One rule of the architecture. It judges facts, and never sees a syntax tree.
package struct Rule: Sendable {
    package var id: RuleID
    /// One sentence that says what the rule finds.
    package var summary: String
    /// Why the architecture has the rule, and what to do instead.
    package var rationale: String
    package var severity: Severity
    /// Whether a baseline may hold findings of the rule. False for rules whose findings do not run.
    package var mayBeBaselined = true
    /// Whether the rule runs when no configuration names it.
    package var isOnByDefault = true
    /// What a fix mends and what it does not, as a part of a sentence behind "mends"; nil if there is no fix.
    package var mended: String?
    package var check: @Sendable (ProjectFacts, inout Findings) -> Void
}
