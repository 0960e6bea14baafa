// SPDX-License-Identifier: Apache-2.0

/// The bytes of a family that are the same on every page of a format of lines.
///
/// A line is a head, which is the family's, a tail, which is the series', and a value:
/// `shop_visits_total` `{client="Cart"} ` `1`, or `{"shop.visits_total"` `,client="Cart"} ` `1` where the name is quoted.
struct LineTemplate: Sendable {
    /// Which heads there are, in the order of ``heads``.
    enum Head: Int, CaseIterable {
        case value
        case created
        case bucket
        case sum
        case count
    }

    /// The lines of help, type and unit.
    let header: [UInt8]
    /// One for each ``Head``; those that the kind has no use for are there too.
    let heads: PackedBytes
    /// For each classic bucket: `le="0.1"} `.
    let bounds: PackedBytes
    /// Whether the lowest bound is negative, so that the sum may go down.
    let hasNegativeBounds: Bool
    /// Whether names stand in quotes inside the braces.
    let isQuoted: Bool
    /// How the labels are rendered.
    let form: SeriesList.Form

    init(_ definition: MetricDefinition, _ style: LineStyle, _ escaping: NameEscaping) {
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
        self.bounds = PackedBytes(bounds.map { "le=\"\(NumberFormat.boundText($0))\"} " })
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
    /// Appends the labels as a line shows them, the names escaped.
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
