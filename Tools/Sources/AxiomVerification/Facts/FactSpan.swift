// SPDX-License-Identifier: Apache-2.0

/// A part of a file as UTF-8 offsets. Eight bytes, because each fact has one.
package struct FactSpan: Sendable, Hashable {
    package var start: UInt32
    package var end: UInt32

    package init(_ start: Int, _ end: Int) {
        self.start = UInt32(clamping: start)
        self.end = UInt32(clamping: end)
    }

    package var offsets: Range<Int> { Int(start)..<Int(max(start, end)) }

    package func contains(_ other: FactSpan) -> Bool { start <= other.start && other.end <= end }
}
