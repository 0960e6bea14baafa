// SPDX-License-Identifier: Apache-2.0

/// The unchanging part of a family's labels, rendered once: `client="` for each name.
@usableFromInline
final class LabelTemplate: Sendable {
    /// The names in the order in which values are given.
    let names: [String]
    /// All openings, one after the other.
    let openings: [UInt8]
    /// Where each opening ends in `openings`.
    let ends: [Int]

    init(names: [String]) {
        var openings: [UInt8] = []
        ends = names.map { name in
            openings += Array(name.utf8) + [UInt8(ascii: "="), UInt8(ascii: "\"")]
            return openings.count
        }
        self.names = names
        self.openings = openings
    }
}
