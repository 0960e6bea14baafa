// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A family without its series: name, kind, help, labels and limits. Immutable and checked.
package final class MetricDefinition: Sendable {
    /// The name as in text 0.0.4; that of a counter ends in `_total`.
    package let name: String
    /// The type of the family.
    package let kind: MetricKind
    /// The help text, unescaped.
    package let help: String
    /// The unit, such as `seconds`, which is also the end of the name before `_total`; nil if there is none.
    package let unit: String?
    /// The bounds of a histogram's classic buckets; empty if it has only exponential buckets, and for other kinds.
    package let buckets: Buckets
    /// The bucketing of a histogram's exponential buckets; nil if it has none, and for other kinds.
    package let exponential: ExponentialBucketing?
    /// The most series of the family. Further ones are recorded in its overflow series.
    package var seriesLimit: Int { limits.series }
    let limits: SeriesLimits
    /// After how long without a look-up an unreferenced series is removed; nil for never.
    package let idleExpiry: Duration?

    /// The names of the labels, rendered in advance.
    let labels: LabelTemplate
    /// How the values are stored. It distinguishes integer and floating-point counters.
    let storage: ValueStorage
    /// The bytes of the family that are the same on every page, by format.
    let templates = TemplateCache()

    /// Whether the labels are the same in every escaping.
    var hasClassicLabels: Bool { labels.areClassic }

    /// The names of the labels, in the order of their values; empty where ``hasOpenLabels``.
    package var labelNames: [String] { labels.names }
    /// Whether each series has its own label names, as in an `OpenFamily`.
    package let hasOpenLabels: Bool
    /// The characters that are allowed in names.
    let syntax: NameSyntax
    /// Whether the family can have more than one series.
    var hasLabels: Bool { hasOpenLabels || !labelNames.isEmpty }

    /// Checks and renders a definition.
    ///
    /// - Throws: ``MetricsError`` if a name, the help, the unit, a bound or an option is invalid.
    init(
        _ name: String,
        _ kind: MetricKind,
        _ storage: ValueStorage,
        help: String,
        labels: [String] = [],
        hasOpenLabels: Bool = false,
        buckets: Buckets = [],
        exponential: ExponentialBucketing? = nil,
        options: MetricOptions = MetricOptions()
    ) throws(MetricsError) {
        try NameRules.check(name: name, kind: kind, options.names)
        try NameRules.check(help: help, of: name)
        try NameRules.check(labels: labels, of: name, options.names)
        try NameRules.check(unit: options.unit, of: name, kind)
        if let fault = options.fault {
            throw MetricsError(.invalidOption, "The \(kind) \(name) \(fault).", family: name)
        }
        let isPlain = exponential != nil && buckets == []
        if kind == .histogram, let fault = exponential?.fault ?? (isPlain ? nil : buckets.fault) {
            throw MetricsError(.invalidBuckets, "The histogram \(name) \(fault).", family: name)
        }
        self.name = name
        self.kind = kind
        self.storage = storage
        self.help = help
        self.buckets = buckets
        self.exponential = exponential
        unit = options.unit
        limits = SeriesLimits(options)
        syntax = options.names
        idleExpiry = options.idleExpiry
        self.labels = LabelTemplate(names: labels)
        self.hasOpenLabels = hasOpenLabels
    }

    /// A description of the first difference between `other` and this definition; nil if they are equal.
    func difference(from other: MetricDefinition) -> String? {
        if storage != other.storage { return "as \(storage.rawValue), now as \(other.storage.rawValue)" }
        if help != other.help { return "with the help \"\(help)\", now with \"\(other.help)\"" }
        if hasOpenLabels != other.hasOpenLabels {
            let names = ["label names that are fixed", "label names that are open"]
            return "with \(names[hasOpenLabels ? 1 : 0]), now with \(names[hasOpenLabels ? 0 : 1])"
        }
        if labelNames.map(ByteName.init) != other.labelNames.map(ByteName.init) {
            return "with the labels \(labelNames), now with \(other.labelNames)"
        }
        if buckets != other.buckets {
            return "with the bounds \(buckets.upperBounds), now with \(other.buckets.upperBounds)"
        }
        if unit != other.unit { return "with the unit \(unit ?? "none"), now with \(other.unit ?? "none")" }
        if exponential != other.exponential { return "with other exponential buckets" }
        guard limits == other.limits, idleExpiry == other.idleExpiry else {
            return "with other limits or another idle expiry"
        }
        return nil
    }
}

/// How the values of a family's series are stored.
enum ValueStorage: String, Sendable {
    case integerCounter = "an integer counter"
    case floatCounter = "a floating-point counter"
    case gauge = "a gauge"
    case histogram = "a histogram"
    case exponential = "an exponential histogram"
    case information = "an info metric"
    case callback = "a callback"
    case collected = "a collector's family"
}

extension MetricDefinition {
    /// All names of the family and its samples in any format and any escaping.
    var claimedNames: [String] {
        if NameRules.isIdentifier(name) { return kind.claimedNames(for: name) }
        let names = [name] + NameEscaping.changing.map { $0.escape(name) }
        return Set(names.flatMap(kind.claimedNames).map(ByteName.init)).sorted().map(\.text)
    }
}

/// What an encoder renders of a family once.
protocol FamilyTemplate: AnyObject, Sendable {}

/// The templates of a family, made when an encoder first writes the family.
final class TemplateCache: Sendable {
    /// What the bytes of a template depend on.
    struct Key: Hashable {
        enum Format {
            case text
            case openMetrics
            case openMetrics2
            case protobuf
        }

        let format: Format
        let escaping: NameEscaping
    }

    /// Guarded by its lock, which is held while a template is made: once per key.
    private let templates = Lock<[Key: any FamilyTemplate]>([:])

    /// The template for `key`. All templates of one format have the same class.
    func template<Template: FamilyTemplate>(_ key: Key, _ make: () -> Template) -> Template {
        templates.withLock { templates in
            if let present = templates[key] as? Template { return present }
            let template = make()
            templates[key] = template
            return template
        }
    }
}
