// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// The lines that a fix changes.
struct FixPreview {
    let hunks: [UnifiedDiff.Hunk]

    /// - Returns: nil if the finding has no fix, or the text of its file is not known.
    init?(_ finding: Finding, in files: [String: SourceText]) {
        guard let fix = finding.fix, let text = files[finding.location.path] else { return nil }
        var list = EditList()
        guard list.add(fix.edits, to: text.bytes.count) else { return nil }
        let new = list.applied(to: text.bytes)
        hunks = UnifiedDiff(path: text.path, from: text.bytes, to: new, context: 0).hunks
    }
}

extension Fix.Safety {
    /// The command that applies the fix.
    var command: String {
        switch self {
        case .safe: "axiom-verify --fix"
        case .review: "axiom-verify --fix --unsafe"
        }
    }
}
