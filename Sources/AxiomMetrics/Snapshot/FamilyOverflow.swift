// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a family refused after it had reached its series limit.
public struct FamilyOverflow: Hashable, Sendable {
    /// The family's name.
    public let family: String
    /// The series limit.
    public let limit: Int
    /// How many look-ups were sent to the overflow series.
    public internal(set) var refusals: UInt64
    /// The labels that were refused first, as a page would show them, cut off after 512 bytes.
    public let first: String
    /// When that was, in seconds since 1970.
    public let time: Double
}

extension FamilyOverflow: CustomStringConvertible {
    /// One line that says which family, since when, what was refused first, and what can be done. Control characters of
    /// the refused labels are written as `\\u{…}`, so that they can neither break the line nor reach a terminal.
    public var description: String {
        """
        \(Date(timeIntervalSince1970: time).formatted(.iso8601)) the metric family \(family) has reached its limit of \
        \(limit) series; what is new goes to the series \(MetricOptions.overflowValue). \
        The first that was refused: {\(Self.printable(first))}. \
        Give its labels fewer values, or the family a larger seriesLimit.
        """
    }

    private static func printable(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    /// Writes the line to a file descriptor, standard error unless told: what a registry does with the report when it
    /// is not told otherwise.
    public func log(to descriptor: Int32 = 2) {
        let line = "warning: \(self)\n"
        _ = write(descriptor, line, line.utf8.count)
    }
}
