// SPDX-License-Identifier: Apache-2.0

/// What a family may be given beside its name, help and labels.
///
/// ```swift
/// try registry.counters("sent_bytes_total", help: "Sent.", labels: Label<String>("peer"), options: .unit("bytes"))
/// ```
public struct MetricOptions: Hashable, Sendable {
    /// The unit of the values, which is also the end of the metric's name (before `_total`): `seconds`, `bytes`.
    public var unit: String?
    /// The most series of the family, at least 1; 2,000 by default. What is recorded under further label values goes
    /// to one series whose label values are all `_overflow`.
    public var seriesLimit: Int
    /// The most bytes of one label value in UTF-8, at least 64; 1,024 by default. A longer value is cut between two
    /// characters and ends in a mark with its length and a hash of all of it, `…[65536 bytes, 9f86d081884c7d65]`: two
    /// long values that begin alike are two series, and one value is the same series in every process. Each look-up with
    /// such a value is counted in `axiom_metrics_overflow_total`.
    public var valueByteLimit: Int
    /// The most bytes of the labels of all series together, as text shows them; at least 1,024. nil, the default, for
    /// 512 bytes for each series of ``seriesLimit``. What comes beyond goes to the `_overflow` series.
    ///
    /// Each format in which the family is read keeps the labels once more, in its own form.
    public var labelByteLimit: Int?
    /// Drops a series that nobody holds and that was not looked up for this long, at the next collection; nil for never.
    /// Where all labels are enums with known cases the family holds its series, and none expires.
    public var idleExpiry: Duration?
    /// Which characters the name of the family and those of its labels may have; classic by default.
    public var names: NameSyntax

    /// The value of every label of a family's overflow series. A look-up with this value for every label finds that
    /// series; it is no overflow, and is not counted as one.
    public static let overflowValue = "_overflow"

    /// No unit, 2,000 series, no expiry.
    public static let standard = MetricOptions()

    /// Takes options; they are checked when the family is registered.
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

    /// The standard options, with a unit.
    public static func unit(_ unit: String) -> MetricOptions {
        MetricOptions(unit: unit)
    }

    /// What is wrong with the options, and the remedy; nil when nothing is.
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
