// SPDX-License-Identifier: Apache-2.0

/// Edits of one file that do not touch each other, in ascending order.
package struct EditList: Sendable, Hashable {
    package private(set) var edits: [Edit] = []

    package init() {}

    /// Adds the edits of one change, all or none.
    ///
    /// - Returns: Whether the list has them now. False if one of them overlaps another edit, or lies outside of a file of
    ///   `count` bytes. A change whose edits are all in the list already is not added a second time.
    @discardableResult
    package mutating func add(_ change: [Edit], to count: Int) -> Bool {
        let change = change.sorted { $0.range.lowerBound < $1.range.lowerBound }
        if change.allSatisfy(edits.contains) { return true }
        guard change.allSatisfy({ $0.range.lowerBound >= 0 && $0.range.upperBound <= count }) else { return false }
        var merged = edits
        for edit in change {
            let index = merged.firstIndex { edit.range.lowerBound < $0.range.lowerBound } ?? merged.count
            if index > 0, Self.collide(merged[index - 1].range, edit.range) { return false }
            if index < merged.count, Self.collide(edit.range, merged[index].range) { return false }
            merged.insert(edit, at: index)
        }
        edits = merged
        return true
    }

    /// The bytes with all edits done.
    package func applied(to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for edit in edits {
            result += bytes[end..<edit.range.lowerBound]
            result += edit.replacement.utf8
            end = edit.range.upperBound
        }
        return result + bytes[end...]
    }

    /// Whether the order of the two edits would matter: they share a byte, or both start at one place.
    private static func collide(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        left.lowerBound == right.lowerBound || left.upperBound > right.lowerBound
    }
}
