// SPDX-License-Identifier: Apache-2.0

/// What a family may be given beside its name, help and labels.
///
/// ```swift
/// try registry.counters("sent_bytes_total", help: "Sent.", labels: Label<String>("peer"), options: .unit("bytes"))
/// ```
public struct MetricOptions: Hashable, Sendable {
    /// The unit of the values, which is also the end of the metric's name (before `_total`): `seconds`, `bytes`.
    public var unit: String?
    /// The most series of the family, at least 1; 2,000 unless told. What is recorded under further label values goes
    /// to one series whose label values are all `_overflow`.
    public var seriesLimit: Int
    /// Drops a series that nobody holds and that was not looked up for this long, at the next collection; nil for never.
    /// Where all labels are enums with known cases the family holds its series, and none expires.
    public var idleExpiry: Duration?
    /// Which characters the name of the family and those of its labels may have; classic unless told.
    public var names: NameSyntax

    /// The value of every label of a family's overflow series. Who looks up a series with this value for every label is
    /// sent there and counted, so that it holds nothing else.
    public static let overflowValue = "_overflow"

    /// No unit, 2,000 series, no expiry.
    public static let standard = MetricOptions()

    /// Takes options; they are checked when the family is registered.
    public init(
        unit: String? = nil,
        seriesLimit: Int = 2_000,
        idleExpiry: Duration? = nil,
        names: NameSyntax = .classic
    ) {
        self.names = names
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
        if let idleExpiry, idleExpiry <= .zero { return "has the idle expiry \(idleExpiry): give a positive duration" }
        return nil
    }
}
