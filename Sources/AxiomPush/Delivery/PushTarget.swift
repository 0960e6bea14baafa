// SPDX-License-Identifier: Apache-2.0

/// Where a ``Pusher`` pushes, and in which format.
public struct PushTarget: Sendable, CustomStringConvertible {
    package let destination: any PushDestination

    /// Takes a destination.
    package init(_ destination: any PushDestination) {
        self.destination = destination
    }

    /// The name of the target, which is the label `destination` of its metrics.
    public var description: String { destination.name }
}

/// The names of labels that a target adds.
enum LabelName {
    /// Why labels cannot be added to every series; nil if they can.
    static func problem(_ names: [String]) -> String? {
        for (index, name) in names.enumerated() {
            guard isValid(name) else {
                return "\"\(name)\" is no name of a label; use letters, digits and underscores"
            }
            if name == "le" || name == "quantile" {
                return "the label \(name) belongs to the series of histograms and summaries, and Prometheus would "
                    + "refuse all metrics; choose another name"
            }
            if names[..<index].contains(name) { return "the label \(name) is given twice; remove one" }
        }
        return nil
    }

    /// Whether a name has only letters, digits and underscores, no digit first, and not two underscores first, which
    /// Prometheus reserves.
    private static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, !name.hasPrefix("__") else { return false }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return !isDigit && name.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
