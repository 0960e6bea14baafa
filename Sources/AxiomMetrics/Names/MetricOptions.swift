// SPDX-License-Identifier: Apache-2.0

/// The options of a family: unit and limits.
///
/// ```swift
/// try registry.counters("sent_bytes_total", help: "Sent.", labels: Label<String>("peer"), options: .unit("bytes"))
/// ```
public struct MetricOptions: Hashable, Sendable {
    // The parameters of the initializer, which describes them.
    package let unit: String?
    package let seriesLimit: Int
    package let valueByteLimit: Int
    package let labelByteLimit: Int?
    package let idleExpiry: Duration?
    package let names: NameSyntax

    /// The value of every label of a family's overflow series. A look-up with this value for every label finds that series
    /// and is not counted as an overflow.
    package static let overflowValue = "_overflow"

    /// Creates options. They are checked when the family is registered.
    ///
    /// - Parameters:
    ///   - unit: The unit of the values, such as `seconds` or `bytes`. The name must end in it, before `_total`.
    ///   - seriesLimit: The most series of the family, at least 1. Further label values are recorded in one series whose
    ///     label values are all `_overflow`.
    ///   - idleExpiry: Removes a series at the next collection after it was unreferenced and not looked up for this long; nil
    ///     for never. A family whose labels are all enums with known cases keeps its series, so none expires.
    ///   - names: The characters that are allowed in the names of the family and its labels.
    ///   - valueByteLimit: The most bytes of one label value in UTF-8, at least 64. A longer value is cut between two
    ///     characters and ends in its length and a hash of the whole value, `…[65536 bytes, 9f86d081884c7d65]`. Long values
    ///     with the same beginning are different series, and one value is the same series in every process.
    ///     `axiom_metrics_overflow_total` counts each look-up with such a value.
    ///   - labelByteLimit: The most bytes of the labels of all series together, in the text format; at least 1,024. Nil means
    ///     512 bytes for each series of `seriesLimit`. Further series are recorded in the `_overflow` series. Each page
    ///     format that is in use stores the labels once more, in its own form.
    public init(
        unit: String? = nil,
        seriesLimit: Int = 2_000,
        idleExpiry: Duration? = nil,
        names: NameSyntax = .classic,
        valueByteLimit: Int = 1_024,
        labelByteLimit: Int? = nil
    ) {
        self.names = names
        self.valueByteLimit = valueByteLimit
        self.labelByteLimit = labelByteLimit
        self.unit = unit
        self.seriesLimit = seriesLimit
        self.idleExpiry = idleExpiry
    }

    /// The default options with a unit.
    public static func unit(_ unit: String) -> MetricOptions {
        MetricOptions(unit: unit)
    }

    /// What is wrong with the options and how to fix it; nil if they are valid.
    var fault: String? {
        if seriesLimit < 1 { return "has the series limit \(seriesLimit): allow at least 1" }
        if valueByteLimit < 64 { return "allows label values of \(valueByteLimit) bytes: allow at least 64" }
        if let labelByteLimit, labelByteLimit < 1_024 {
            return "allows \(labelByteLimit) bytes of labels: allow at least 1,024"
        }
        if let idleExpiry, idleExpiry <= .zero { return "has the idle expiry \(idleExpiry): give a positive duration" }
        return nil
    }
}

/// The limits of a family: series and bytes of labels.
struct SeriesLimits: Hashable, Sendable {
    /// The most series.
    let series: Int
    /// The most bytes of one label value.
    let valueBytes: Int
    /// The most bytes of all series' rendered labels together.
    let labelBytes: Int

    init(_ options: MetricOptions) {
        series = options.seriesLimit
        valueBytes = options.valueByteLimit
        let (product, overflow) = options.seriesLimit.multipliedReportingOverflow(by: 512)
        labelBytes = options.labelByteLimit ?? (overflow ? .max : product)
    }

    /// The text, shortened if it has more bytes than `limit`.
    static func truncated(_ text: String, beyond limit: Int) -> String {
        text.utf8.count <= limit ? text : truncated(text, to: limit)
    }

    /// The beginning of a long text, its length, and a hash of the whole text, so that different texts stay different. The
    /// hash is the same in every process.
    ///
    /// - Parameter limit: The most bytes of the result; at least 64, so that length and hash fit.
    static func truncated(_ text: String, to limit: Int) -> String {
        var text = text
        return text.withUTF8 { bytes in
            let digits = String(ByteHash.hash(UnsafeRawBufferPointer(bytes), seed: 0), radix: 16)
            let hash = String(repeating: "0", count: 16 - digits.count) + digits
            let mark = "…[\(bytes.count) bytes, \(hash)]"
            var end = max(min(limit - mark.utf8.count, bytes.count), 0)
            // A byte 10xxxxxx is the continuation of a character.
            while end > 0, end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
            return String(decoding: bytes[..<end], as: UTF8.self) + mark
        }
    }
}
