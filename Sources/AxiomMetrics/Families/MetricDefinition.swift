// SPDX-License-Identifier: Apache-2.0

/// What a family is: everything but its series. Immutable, checked, and shared by all who refer to the family.
public final class MetricDefinition: Sendable {
    /// The name as text 0.0.4 shows it, a counter's with its `_total`.
    public let name: String
    /// What the family is to a reader.
    public let kind: MetricKind
    /// The help text, unescaped.
    public let help: String
    /// The unit, which is also the end of the name (before `_total`), such as `seconds`; nil when none was given.
    public let unit: String?
    /// The bounds of a histogram's classic buckets; empty for one that has exponential buckets alone, and for every
    /// other kind.
    public let buckets: Buckets
    /// How a histogram's exponential buckets are kept; nil when it has none, and for every other kind.
    public let exponential: ExponentialBucketing?
    /// The most series that the family keeps before it sends new ones to its overflow series.
    public var seriesLimit: Int { limits.series }
    /// How much the family may keep.
    let limits: SeriesLimits
    /// After how long without a look-up a series that nobody holds is dropped; nil for never.
    public let idleExpiry: Duration?

    /// The states of a state set; nil for every other kind.
    let states: StateLayout?
    /// The names of the labels with what can be rendered in advance.
    let labels: LabelTemplate
    /// How the values are stored; tells two counters apart that look alike on a page.
    let storage: ValueStorage
    /// The bytes of the family that are the same on every page, for each format.
    let templates = TemplateCache()

    /// Whether the series' labels look the same in every escaping; a state set has a label of its own name.
    var hasClassicLabels: Bool {
        labels.areClassic && (kind != .stateSet || NameRules.isIdentifier(name))
    }

    /// The names of the labels, in the order of their values; empty where ``hasOpenLabels``.
    public var labelNames: [String] { labels.names }
    /// Whether each series brings label names of its own, as those of an ``OpenFamily`` do.
    public let hasOpenLabels: Bool
    /// All label names that the family brings, with that of a state set's states.
    var ownLabelNames: [String] { kind == .stateSet ? labelNames + [name] : labelNames }
    /// Which characters the names may have.
    let syntax: NameSyntax
    /// Whether there can be more than one series.
    var hasLabels: Bool { hasOpenLabels || !labelNames.isEmpty }

    /// Checks and renders a definition.
    ///
    /// - Throws: ``MetricsError`` with the input and the remedy.
    init(
        _ name: String,
        _ kind: MetricKind,
        _ storage: ValueStorage,
        help: String,
        labels: [String] = [],
        hasOpenLabels: Bool = false,
        buckets: Buckets = [],
        exponential: ExponentialBucketing? = nil,
        states: StateLayout? = nil,
        options: MetricOptions = .standard
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
        self.states = states
        unit = options.unit
        limits = SeriesLimits(options)
        syntax = options.names
        idleExpiry = options.idleExpiry
        self.labels = LabelTemplate(names: labels)
        self.hasOpenLabels = hasOpenLabels
    }

    /// The first difference that keeps `other` from being this definition, in words; nil when there is none.
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
        if states?.type != other.states?.type { return "with other states" }
        if exponential != other.exponential { return "with other exponential buckets" }
        guard limits == other.limits, idleExpiry == other.idleExpiry else {
            return "with other limits or another idle expiry"
        }
        return nil
    }
}

/// How the values of a family's series are kept.
enum ValueStorage: String, Sendable {
    case integerCounter = "an integer counter"
    case floatCounter = "a floating-point counter"
    case gauge = "a gauge"
    case histogram = "a histogram"
    case exponential = "an exponential histogram"
    case stateSet = "a state set"
    case information = "an info metric"
    case callback = "a callback"
    case collected = "a collector's family"
}
