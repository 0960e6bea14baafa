// SPDX-License-Identifier: Apache-2.0

/// What Prometheus and OpenMetrics demand of names, as errors that say what to change.
enum NameRules {
    /// Checks a metric's name: the characters that `syntax` allows, and the suffix that its kind demands.
    ///
    /// The data model allows colons too, but keeps them for recording rules.
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

    /// Checks a unit: OpenMetrics wants it at the end of the family's name, and none where values are no quantity.
    static func check(unit: String?, of family: String, _ kind: MetricKind) throws(MetricsError) {
        guard let unit else { return }
        if kind == .info || kind == .stateSet {
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

    /// Checks label names: the form, what is reserved, and that none occurs twice, nor does when names are escaped.
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

    /// Whether a name is of letters, digits and underscores, no digit first.
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isClassic(first, isFirst: true) else { return false }
        return name.unicodeScalars.allSatisfy { isClassic($0, isFirst: false) }
    }

    /// Whether a character may stand in a classic name.
    static func isClassic(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": !isFirst
        default: false
        }
    }

    /// A name as it stands on a line: in quotes when it is not a classic one.
    static func quotedUnlessClassic(_ name: String) -> String {
        isIdentifier(name) ? name : "\"\(LineEscaping.quoted.escape(name))\""
    }
}
