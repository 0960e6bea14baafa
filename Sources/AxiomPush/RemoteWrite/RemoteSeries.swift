// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A series of remote write with one sample, in no version yet.
struct RemoteSeries {
    enum Value {
        case number(Double)
        case histogram(ExponentialHistogramData)
        /// The series has ended.
        case end
    }

    let labels: SeriesLabels
    private(set) var origin: SeriesOrigin
    let value: Value
    /// The time of the sample, in milliseconds since 1970.
    let milliseconds: Int64
    /// In the order of their times and values, as Prometheus needs them.
    private(set) var exemplars: [Exemplar] = []

    /// Calls `body` with each series of a family.
    ///
    /// - Parameters:
    ///   - external: Labels to add to every series that has none of that name.
    ///   - form: How exponential histograms are sent.
    static func forEach(
        of family: FamilySnapshot,
        at milliseconds: Int64,
        external: [(name: String, value: String)],
        form: PushTarget.HistogramForm,
        _ body: (RemoteSeries) -> Void
    ) {
        for series in family {
            let pairs = series.labels.pairs
            let origin = SeriesOrigin(family.definition, created: series.created, before: milliseconds)
            for part in parts(of: series, family.definition.buckets.upperBounds, form) {
                let bound = part.bound.map { [(name: "le", value: $0.bucketBoundText)] } ?? []
                let labels = SeriesLabels(family.definition.name + part.suffix, pairs + bound, external: external)
                // A time that is no number of milliseconds cannot be sent.
                let exemplars = part.exemplars.filter { abs($0.timestamp) < 0x1p53 / 1_000 }
                    .sorted { ($0.milliseconds, $0.value) < ($1.milliseconds, $1.value) }
                body(
                    Self(
                        labels: labels,
                        origin: origin,
                        value: part.value,
                        milliseconds: milliseconds,
                        exemplars: exemplars
                    )
                )
            }
        }
    }

    private typealias Part = (suffix: String, value: Value, bound: Double?, exemplars: [Exemplar])

    /// A counter or gauge has one part. A histogram has one as a native histogram, and several with classic buckets.
    private static func parts(
        of series: SeriesSnapshot,
        _ bounds: [Double],
        _ form: PushTarget.HistogramForm
    ) -> [Part] {
        guard let histogram = series.histogram else { return [("", .number(series.value), nil, series.exemplars)] }
        var parts: [Part] = []
        if let data = series.exponential, form != .classic {
            parts.append(("", .histogram(data), nil, series.exemplars))
            if form == .native { return parts }
        }
        var (cumulative, lower): (UInt64, Double) = (0, -.infinity)
        for (index, (count, upper)) in zip(histogram.counts, bounds + [.infinity]).enumerated() {
            cumulative &+= count
            let inside = series.exemplars.filter { $0.value <= upper && ($0.value > lower || index == 0) }
            parts.append(("_bucket", .number(Double(cumulative)), upper, inside))
            lower = upper
        }
        parts.append(("_sum", .number(histogram.sum), nil, []))
        parts.append(("_count", .number(Double(cumulative)), nil, []))
        return parts
    }

    /// Leaves out the exemplars before the last one that was sent with an earlier sample. That one is sent again: a receiver
    /// ignores the copy, and in 1.0 Prometheus takes no exemplar with the first native histogram of a series.
    ///
    /// - Parameter sent: The origin of that sample; nil if there was none.
    mutating func dropSentExemplars(_ sent: SeriesOrigin?) {
        if let last = sent?.lastExemplar {
            exemplars.removeAll { ($0.milliseconds, $0.value) < (last.milliseconds, last.value) }
        }
        origin.lastExemplar = exemplars.last ?? sent?.lastExemplar
    }
}

extension Exemplar {
    /// The time in milliseconds since 1970, which has to be less than 2^53.
    var milliseconds: Int64 { Int64((timestamp * 1_000).rounded()) }
}

/// What a series comes from, which 2.0 sends with each sample.
struct SeriesOrigin: Sendable {
    let family: MetricDefinition
    /// When a counter or histogram began to count, in milliseconds since 1970; nil if that is not known, and for other kinds.
    let start: Int64?
    /// The last exemplar that was sent.
    fileprivate(set) var lastExemplar: Exemplar?

    /// - Parameters:
    ///   - created: When the series was created, in seconds since 1970; nil if that is not known.
    ///   - time: The time of the sample. A series that was created later, by a clock that was set back, has no start.
    init(_ family: MetricDefinition, created: Double?, before time: Int64) {
        self.family = family
        let isCumulative = family.kind == .counter || family.kind == .histogram
        let start = created.flatMap { Int64(exactly: ($0 * 1_000).rounded()) }
        // 0 means that there is no start, so 1 stands for it.
        self.start = start.flatMap { isCumulative && $0 <= time ? ($0 == 0 ? 1 : $0) : nil }
    }
}

/// The labels of a series, which identify it: as fields of a `TimeSeries` of 1.0, sorted by name as remote write requires it.
struct SeriesLabels: Hashable, Sendable {
    let fields: [UInt8]

    /// - Parameters:
    ///   - pairs: The labels of the series without the name.
    ///   - external: Labels to add if the series has none of that name.
    init(_ name: String, _ pairs: [(name: String, value: String)], external: [(name: String, value: String)]) {
        var all = pairs.map { (name: NameEscaping.underscores.escape($0.name), value: $0.value) }
        for label in external where !all.contains(where: { ByteName($0.name) == ByteName(label.name) }) {
            all.append(label)
        }
        all.append((name: "__name__", value: NameEscaping.underscores.escape(name)))
        self.init(sorting: all.filter { !$0.value.isEmpty })
    }

    /// The labels of an exemplar.
    init(sorting pairs: [(name: String, value: String)]) {
        var buffer = ExpositionBuffer(capacity: 0)
        for (name, value) in pairs.sorted(by: { ByteName($0.name) < ByteName($1.name) }) {
            buffer.putLabel(Array(name.utf8), Array(value.utf8))
        }
        fields = buffer.bytes
    }
}

extension ExpositionBuffer {
    /// Appends a `Label` of 1.0 as field 1, its number in a `TimeSeries` and in an `Exemplar`.
    mutating func putLabel(_ name: [UInt8], _ value: [UInt8]) {
        putField(1) { buffer in
            buffer.putField(1, bytes: name)
            buffer.putField(2, bytes: value)
        }
    }
}
