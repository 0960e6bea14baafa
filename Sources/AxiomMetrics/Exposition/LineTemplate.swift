// SPDX-License-Identifier: Apache-2.0

/// The bytes of a family that are the same on every page of the text format or OpenMetrics.
///
/// A line consists of a head from the family, a tail from the series, and a value:
/// `shop_visits_total` `{client="Cart"} ` `1`, or `{"shop.visits_total"` `,client="Cart"} ` `1` if the name is quoted.
final class LineTemplate: FamilyTemplate {
    /// The heads in the order of ``heads``.
    enum Head: Int, CaseIterable {
        case value
        case created
        case bucket
        case sum
        case count
    }

    /// The lines with help, type and unit.
    let header: [UInt8]
    /// One for each ``Head``, including those that the kind does not use.
    let heads: PackedBytes
    /// For each classic bucket: `le="0.1"} `, or `,0.1:` in OpenMetrics 2.0.
    let bounds: PackedBytes
    /// Whether the lowest bound is negative, so that the sum may decrease.
    let hasNegativeBounds: Bool
    /// Whether the metric name is in quotes inside the braces.
    let isQuoted: Bool
    /// How the labels are rendered.
    let form: SeriesList.Form

    /// The template of a family, rendered when a page of the format is first written.
    static func of(_ definition: MetricDefinition, _ style: LineStyle, _ escaping: NameEscaping) -> LineTemplate {
        let key = TemplateCache.Key(format: style.format, escaping: escaping)
        return definition.templates.template(key) { LineTemplate(definition, style, escaping) }
    }

    private init(_ definition: MetricDefinition, _ style: LineStyle, _ escaping: NameEscaping) {
        let name = escaping.escape(definition.name)
        let base = String(name.dropLast(style == .openMetrics ? definition.kind.suffix.count : 0))
        let isQuoted = !NameRules.isIdentifier(name)
        let sampleBase = String(name.dropLast(definition.kind.suffix.count))
        let samples = [name, sampleBase + "_created", name + "_bucket", name + "_sum", name + "_count"]
        header = Array(style.header(definition, name: NameRules.quotedUnlessClassic(base), base: base).utf8)
        heads = PackedBytes(
            samples.map { (isQuoted ? "{" : "") + NameRules.quotedUnlessClassic($0) }
        )
        let bounds = definition.kind == .histogram ? definition.buckets.upperBounds + [.infinity] : []
        self.bounds = PackedBytes(style.bounds(bounds.map(NumberFormat.boundText), definition))
        hasNegativeBounds = (bounds.first ?? 0) < 0
        self.isQuoted = isQuoted
        form = .line(isQuoted: isQuoted, definition.hasClassicLabels ? .allowUTF8 : escaping)
    }

    /// The tails of all series, rendered once.
    func tails(of series: SeriesList) -> PackedBytes {
        series.rendering(form) { position, bytes in
            let labels = series.labels[position]
            guard !labels.isEmpty else {
                bytes += Array((isQuoted ? "} " : " ").utf8)
                return
            }
            bytes.append(isQuoted ? UInt8(ascii: ",") : UInt8(ascii: "{"))
            if case .line(_, let escaping) = form { labels.render(escaping, into: &bytes) }
            bytes += Array("} ".utf8)
        }
    }
}

extension LabelSet {
    /// Appends the labels as on a line, with escaped names.
    func render(_ escaping: NameEscaping, into bytes: inout [UInt8]) {
        if escaping == .allowUTF8 {
            bytes += rendered
            return
        }
        let start = bytes.count
        forEachRendered { name, isQuoted, value in
            if bytes.count > start { bytes.append(UInt8(ascii: ",")) }
            bytes += isQuoted ? Array(escaping.escape(Self.unescaped(name)).utf8)[...] : name
            bytes += Array("=\"".utf8)
            bytes += value
            bytes.append(UInt8(ascii: "\""))
        }
    }
}

/// The formats that consist of lines.
enum LineStyle: Hashable {
    case text
    case openMetrics
    case openMetrics2

    var format: TemplateCache.Key.Format {
        switch self {
        case .text: .text
        case .openMetrics: .openMetrics
        case .openMetrics2: .openMetrics2
        }
    }

    /// What stands before the counts of classic buckets. In OpenMetrics 2.0 a histogram that has only exponential buckets
    /// has no others.
    func bounds(_ texts: [String], _ definition: MetricDefinition) -> [String] {
        guard self == .openMetrics2 else { return texts.map { "le=\"\($0)\"} " } }
        if definition.exponential != nil, definition.buckets.upperBounds.isEmpty { return [] }
        return texts.enumerated().map { ($0 == 0 ? ",bucket:[" : ",") + $1 + ":" }
    }

    /// The lines before a family's samples.
    ///
    /// - Parameters:
    ///   - name: The name as on the lines, possibly in quotes.
    ///   - base: The name without quotes.
    func header(_ definition: MetricDefinition, name: String, base: String) -> String {
        switch self {
        case .text:
            let help = LineEscaping.plain.escape(definition.help)
            return "# HELP \(name) \(help)\n# TYPE \(name) \(definition.kind.textName)\n"
        case .openMetrics, .openMetrics2:
            let type = "# TYPE \(name) \(definition.kind.openMetricsName)\n"
            let help = "# HELP \(name) \(LineEscaping.quoted.escape(definition.help))\n"
            // In OpenMetrics 1.0 the name must end in the unit, which an escaping may have changed.
            guard let unit = definition.unit, self == .openMetrics2 || base.hasSuffix("_" + unit) else {
                return type + help
            }
            return type + "# UNIT \(name) \(unit)\n" + help
        }
    }
}
