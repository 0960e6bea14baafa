// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// Collects what the rules find.
package struct Findings: Sendable {
    package private(set) var all: [Finding] = []
    /// The rule that runs. ``report(_:at:_:notes:identity:fix:)`` names it.
    package var rule: Rule?

    package init(for rule: Rule? = nil) {
        self.rule = rule
    }

    package mutating func add(_ finding: Finding) {
        all.append(finding)
    }

    /// Adds a finding of the rule that runs.
    ///
    /// - Parameter severity: Another severity than the rule's.
    package mutating func report(
        _ severity: Severity? = nil,
        at location: SourceSpan,
        _ message: String,
        notes: [Finding.Note] = [],
        identity: String,
        fix: Fix? = nil
    ) {
        guard let rule else { return }
        all.append(
            Finding(
                rule: rule.id,
                severity: severity ?? rule.severity,
                at: location,
                message: message,
                notes: notes,
                identity: identity,
                fix: fix
            )
        )
    }

    /// In the order of every report: path, place, rule.
    package func sorted() -> [Finding] {
        all.sorted { left, right in
            if left.location.path != right.location.path { return left.location.path < right.location.path }
            if left.location.start != right.location.start { return left.location.start < right.location.start }
            if left.rule != right.rule { return left.rule.rawValue < right.rule.rawValue }
            return left.identity < right.identity
        }
    }
}
