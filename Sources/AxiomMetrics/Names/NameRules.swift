// SPDX-License-Identifier: Apache-2.0

/// The rules of Prometheus and OpenMetrics for names, units and labels.
enum NameRules {
    /// Checks a metric's name: the characters that `syntax` allows, and the suffix that its kind requires.
    ///
    /// The data model allows colons too, but reserves them for recording rules.
    static func check(name: String, kind: MetricKind, _ syntax: NameSyntax) throws(MetricsError) {
        guard syntax.allows(name) else {
            throw MetricsError(.invalidName, "\"\(name)\" is no metric name: \(syntax.rule).", family: name)
        }
        let suffix = kind.suffix
        if !suffix.isEmpty, !name.hasSuffix(suffix) || name == suffix {
            throw MetricsError(
                .invalidName,
                "The \(kind) \(name) must end in \(suffix): call it \(name)\(suffix).",
                family: name
            )
        }
    }

    /// Checks that there is a help text.
    static func check(help: String, of family: String) throws(MetricsError) {
        guard help.contains(where: { !$0.isWhitespace }) else {
            throw MetricsError(
                .invalidHelp,
                "\(family) has no help: say in a sentence what it measures.",
                family: family
            )
        }
    }

    /// Checks a unit: OpenMetrics requires it at the end of the family's name, and allows none without a quantity.
    static func check(unit: String?, of family: String, _ kind: MetricKind) throws(MetricsError) {
        guard let unit else { return }
        if kind == .info {
            throw MetricsError(
                .invalidUnit,
                "The \(kind) \(family) has the unit \"\(unit)\", and no quantity to measure: leave it out.",
                family: family
            )
        }
        let base = kind == .counter ? String(family.dropLast("_total".count)) : family
        guard isIdentifier("_" + unit), !unit.isEmpty, base.hasSuffix("_" + unit) else {
            throw MetricsError(
                .invalidUnit,
                "\(family) has the unit \"\(unit)\", which must be the end of its name: call it "
                    + "\(base)_\(unit)\(kind == .counter ? "_total" : ""), or leave the unit out.",
                family: family
            )
        }
    }

    /// Checks label names: their syntax, reserved names, and that no name occurs twice, also after escaping.
    static func check(labels: [String], of family: String, _ syntax: NameSyntax) throws(MetricsError) {
        for label in labels {
            if let fault = fault(of: label, syntax) {
                throw MetricsError(.invalidLabel, "The label \"\(label)\" of \(family) \(fault).", family: family)
            }
        }
        for escaping in [.allowUTF8] + NameEscaping.changing {
            var seen: [ByteName: String] = [:]
            for label in labels {
                guard let other = seen.updateValue(label, forKey: ByteName(escaping.escape(label))) else { continue }
                let problem =
                    ByteName(other) == ByteName(label)
                    ? "the label \(label) twice"
                    : "the labels \(other) and \(label), which are one when names are escaped by \(escaping)"
                throw MetricsError(.invalidLabel, "\(family) has \(problem): rename one.", family: family)
            }
        }
    }

    private static func fault(of label: String, _ syntax: NameSyntax) -> String? {
        if !syntax.allows(label) { return "is no label name: \(syntax.rule)" }
        if label.hasPrefix("__") { return "begins with two underscores, which Prometheus reserves: rename it" }
        if let escaping = NameEscaping.changing.first(where: { $0.escape(label).hasPrefix("__") }) {
            return
                "begins with two underscores when names are escaped by \(escaping), which Prometheus reserves: rename it"
        }
        if label == "le" || label == "quantile" {
            return "is reserved for the bounds of histograms and summaries: rename it"
        }
        return nil
    }

    /// Whether a name has only letters, digits and underscores, and no digit first.
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isClassic(first, isFirst: true) else { return false }
        return name.unicodeScalars.allSatisfy { isClassic($0, isFirst: false) }
    }

    /// Whether a character is allowed in a classic name.
    static func isClassic(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": !isFirst
        default: false
        }
    }

    /// A name as on a line: in quotes if it is not a classic one.
    static func quotedUnlessClassic(_ name: String) -> String {
        isIdentifier(name) ? name : "\"\(LineEscaping.quoted.escape(name))\""
    }
}

/// The characters that are allowed in the names of a family and its labels.
public struct NameSyntax: Hashable, Sendable {
    let allowsUTF8: Bool

    /// Letters, digits and underscores, no digit first, which every reader supports. The default.
    public static let classic = NameSyntax(allowsUTF8: false)

    /// All characters except controls, line separators, colons and those with a meaning in HTML (`< > & " '` and the
    /// backtick), so that a page that does not escape names cannot execute them (CVE-2026-40179).
    ///
    /// Readers without support for such names get them escaped, by default with underscores. Two names that are equal after
    /// escaping are refused.
    public static let utf8 = NameSyntax(allowsUTF8: true)

    func allows(_ name: String) -> Bool {
        if NameRules.isIdentifier(name) { return true }
        return allowsUTF8 && !name.isEmpty && name.unicodeScalars.allSatisfy(Self.isHarmless)
    }

    /// The rule as a clause of an error message.
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

/// A name that is compared by its bytes.
///
/// Swift's string equality treats two encodings of one character as equal: `café` with one code point for its last letter
/// and with two. Prometheus and ``LabelSet`` do not.
package struct ByteName: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ByteName, right: ByteName) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: ByteName, right: ByteName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        hasher.combine(0xff as UInt8)
    }
}
