// SPDX-License-Identifier: Apache-2.0

/// What Prometheus and OpenMetrics demand of names, as errors that say what to change.
enum NameRules {
    /// Checks a metric's name: letters, digits and underscores, no digit first, and the suffix that its kind demands.
    ///
    /// The data model allows colons too, but keeps them for recording rules.
    static func check(name: String, kind: MetricKind) throws(MetricsError) {
        guard isIdentifier(name) else {
            throw MetricsError(
                .invalidName,
                "\"\(name)\" is no metric name: use letters, digits and underscores, and no digit first.",
                family: name
            )
        }
        if let suffix = requiredSuffix(of: kind), !name.hasSuffix(suffix) || name.count == suffix.count {
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

    /// Checks label names: the form, what is reserved, and that none occurs twice.
    static func check(labels: [String], of family: String) throws(MetricsError) {
        var seen: Set<String> = []
        for label in labels {
            if let fault = fault(of: label) {
                throw MetricsError(.invalidLabel, "The label \"\(label)\" of \(family) \(fault).", family: family)
            }
            guard seen.insert(label).inserted else {
                throw MetricsError(
                    .invalidLabel,
                    "\(family) has the label \(label) twice: rename one.",
                    family: family
                )
            }
        }
    }

    private static func fault(of label: String) -> String? {
        if !isIdentifier(label) { return "is no label name: use letters, digits and underscores, and no digit first" }
        if label.hasPrefix("__") { return "begins with two underscores, which Prometheus reserves: rename it" }
        if label == "le" || label == "quantile" {
            return "is reserved for the bounds of histograms and summaries: rename it"
        }
        return nil
    }

    private static func requiredSuffix(of kind: MetricKind) -> String? {
        switch kind.shape {
        case .counter: "_total"
        case .info: "_info"
        case .gauge, .histogram, .stateSet: nil
        }
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
