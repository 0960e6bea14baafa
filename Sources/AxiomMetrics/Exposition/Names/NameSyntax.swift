// SPDX-License-Identifier: Apache-2.0

/// Which characters a family's name and the names of its labels may have.
public struct NameSyntax: Hashable, Sendable {
    let allowsUTF8: Bool

    /// Letters, digits and underscores, no digit first: what every reader knows. The default.
    public static let classic = NameSyntax(allowsUTF8: false)

    /// Any character but controls, line separators, colons and those that mean something in HTML (`< > & " '` and the
    /// backtick): a page that shows names carelessly must not run them (CVE-2026-40179).
    ///
    /// Readers that cannot take such a name get it escaped, see ``NameEscaping``. Two names that some scheme makes one
    /// are refused.
    public static let utf8 = NameSyntax(allowsUTF8: true)

    /// Whether a name is allowed.
    func allows(_ name: String) -> Bool {
        if NameRules.isIdentifier(name) { return true }
        return allowsUTF8 && !name.isEmpty && name.unicodeScalars.allSatisfy(Self.isHarmless)
    }

    /// The syntax in words, for errors.
    var rule: String {
        allowsUTF8
            ? "use any characters but controls, colons and < > & \" ' `"
            : "use letters, digits and underscores, and no digit first, or allow others with the option names: .utf8"
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !":<>&\"'`".unicodeScalars.contains(scalar)
        }
    }
}
