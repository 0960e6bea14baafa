// SPDX-License-Identifier: Apache-2.0

/// The lines that differ between two texts.
package struct UnifiedDiff: Sendable, Hashable {
    /// Neighbouring lines that changed, with unchanged lines around them.
    package struct Hunk: Sendable, Hashable {
        package enum Line: Sendable, Hashable {
            case kept(String)
            case removed(String)
            case added(String)

            /// The line with its end, if it has one.
            package var text: String {
                switch self {
                case .kept(let text), .removed(let text), .added(let text): text
                }
            }
        }

        /// The first line of the hunk in the old text, counted from 1. For a hunk without old lines: the line after which the
        /// new ones stand.
        package var oldStart: Int
        package var newStart: Int
        package var lines: [Line]

        package var oldLines: [String] {
            lines.compactMap { if case .added = $0 { nil } else { $0.text } }
        }

        package var newLines: [String] {
            lines.compactMap { if case .removed = $0 { nil } else { $0.text } }
        }
    }

    /// The path of both texts.
    package let path: String
    package let hunks: [Hunk]

    /// Compares two texts line by line. Line ends count: a line that ends with CRLF differs from one that ends with LF.
    ///
    /// - Parameter context: How many unchanged lines each hunk has before and after.
    package init(path: String, from old: [UInt8], to new: [UInt8], context: Int = 3) {
        self.path = path
        let (oldBytes, newBytes) = (Self.lines(of: old), Self.lines(of: new))
        var removed = Set<Int>()
        var added = Set<Int>()
        // Bytes, because strings with different bytes can be equal.
        for change in newBytes.difference(from: oldBytes) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        let script = Self.script(oldBytes.map(Self.text), newBytes.map(Self.text), removed: removed, added: added)
        hunks = Self.hunks(script, context: max(0, context))
    }

    /// The diff in the form of `diff -u`; empty if the texts are equal.
    package var text: String {
        guard !hunks.isEmpty else { return "" }
        return "--- a/\(path)\n+++ b/\(path)\n" + hunks.map(\.description).joined()
    }

    /// The lines with their ends. As in diff and patch, a line ends with a line feed.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(bytes[start...end])
            start = end + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line, as: UTF8.self)
    }

    private static func script(
        _ old: [String],
        _ new: [String],
        removed: Set<Int>,
        added: Set<Int>
    ) -> [Hunk.Line] {
        var lines: [Hunk.Line] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if oldIndex < old.count, removed.contains(oldIndex) {
                lines.append(.removed(old[oldIndex]))
                oldIndex += 1
            } else if newIndex < new.count, added.contains(newIndex) {
                lines.append(.added(new[newIndex]))
                newIndex += 1
            } else {
                lines.append(.kept(old[oldIndex]))
                oldIndex += 1
                newIndex += 1
            }
        }
        return lines
    }

    private static func hunks(_ script: [Hunk.Line], context: Int) -> [Hunk] {
        var hunks: [Hunk] = []
        var (oldLine, newLine) = (1, 1)
        var places: [(old: Int, new: Int)] = []
        for line in script {
            places.append((oldLine, newLine))
            if case .added = line {} else { oldLine += 1 }
            if case .removed = line {} else { newLine += 1 }
        }
        for range in ranges(script, context: context) {
            var hunk = Hunk(
                oldStart: places[range.lowerBound].old,
                newStart: places[range.lowerBound].new,
                lines: Array(script[range])
            )
            if hunk.oldLines.isEmpty { hunk.oldStart -= 1 }
            if hunk.newLines.isEmpty { hunk.newStart -= 1 }
            hunks.append(hunk)
        }
        return hunks
    }

    /// The parts of the script that hunks show. Changes with at most two contexts between them share a hunk.
    private static func ranges(_ script: [Hunk.Line], context: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (index, line) in script.enumerated() {
            if case .kept = line { continue }
            let range = max(0, index - context)..<min(script.count, index + context + 1)
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        return ranges
    }
}

extension UnifiedDiff.Hunk: CustomStringConvertible {
    /// The hunk in the form of `diff -u`.
    package var description: String {
        let head = "@@ -\(oldStart),\(oldLines.count) +\(newStart),\(newLines.count) @@\n"
        return head
            + lines.map { line in
                let mark =
                    switch line {
                    case .kept: " "
                    case .removed: "-"
                    case .added: "+"
                    }
                let ends = line.text.utf8.last == UInt8(ascii: "\n")
                return mark + line.text + (ends ? "" : "\n\\ No newline at end of file\n")
            }.joined()
    }
}
