// SPDX-License-Identifier: Apache-2.0

/// The unchanging part of a family's labels, rendered once: `client="` for each name, `"my.client"="` where the name is
/// not a classic one.
@usableFromInline
final class LabelTemplate: Sendable {
    /// The names in the order in which values are given.
    let names: [String]
    /// All openings, one after the other, and a word of zeros behind them: they are copied in words.
    let openings: [UInt8]
    /// Where each opening ends in `openings`.
    let ends: [Int]
    /// Whether all names are of letters, digits and underscores, so that they are the same in every escaping.
    let areClassic: Bool

    init(names: [String]) {
        areClassic = names.allSatisfy(NameRules.isIdentifier)
        var openings: [UInt8] = []
        ends = names.map { name in
            openings += Array("\(NameRules.quotedUnlessClassic(name))=\"".utf8)
            return openings.count
        }
        self.names = names
        self.openings = openings + [UInt8](repeating: 0, count: MemoryLayout<UInt64>.size)
    }
}
