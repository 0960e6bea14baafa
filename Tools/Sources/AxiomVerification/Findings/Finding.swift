// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// One place where code breaks a rule.
package struct Finding: Sendable, Hashable {
    /// Another place that explains the finding, such as the other end of a dependency.
    package struct Note: Sendable, Hashable {
        package var location: SourceSpan
        package var message: String

        package init(_ message: String, at location: SourceSpan) {
            self.message = message
            self.location = location
        }
    }

    package var rule: RuleID
    package var severity: Severity
    package var location: SourceSpan
    /// What is wrong and what to do, in one or two sentences.
    package var message: String
    package var notes: [Note]
    /// What the finding is about, without a line: the type, the member and the target, such as `CartClient.process/Clock`.
    /// The verifier puts the module before it.
    /// Baselines and fingerprints use it, so it survives when code moves.
    package var identity: String
    package var fix: Fix?

    package init(
        rule: RuleID,
        severity: Severity,
        at location: SourceSpan,
        message: String,
        notes: [Note] = [],
        identity: String,
        fix: Fix? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.location = location
        self.message = message
        self.notes = notes
        self.identity = identity
        self.fix = fix
    }
}

/// A change that mends a finding.
package struct Fix: Sendable, Hashable {
    /// Whether the change keeps the meaning of the program.
    package enum Safety: String, Sendable, Hashable {
        /// `--fix` applies it.
        case safe
        /// Only `--fix --unsafe` applies it: a person should read the result.
        case review
    }

    /// What the change does, such as "Store the scope's identity".
    package var title: String
    /// Edits of the file of the finding's location, in ascending order. They do not overlap.
    package var edits: [Edit]
    package var safety: Safety

    package init(_ title: String, edits: [Edit], safety: Safety) {
        self.title = title
        self.edits = edits
        self.safety = safety
    }
}
