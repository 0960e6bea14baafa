// SPDX-License-Identifier: Apache-2.0

/// The difference of two texts as a unified diff.
struct TextDiff {
    private typealias Line = (old: String?, new: String?)

    /// Unchanged lines before and after a change.
    private static let context = 3

    private let lines: [Line]

    /// Compares the lines of two texts.
    init(expected: String, actual: String) {
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        self.lines = Alignment.pairs(lines(expected), lines(actual)) { $0 }
    }

    /// The hunks, each with its positions and three lines around each change; empty if the texts are equal.
    var text: String {
        hunks.map { range in
            let (before, hunk) = (lines[..<range.lowerBound], lines[range])
            let old = Self.position(before.count { $0.old != nil }, hunk.count { $0.old != nil })
            let new = Self.position(before.count { $0.new != nil }, hunk.count { $0.new != nil })
            return (["@@ -\(old) +\(new) @@"] + hunk.flatMap(Self.texts)).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Lines that were paired by position may differ.
    private static func texts(_ line: Line) -> [String] {
        if let old = line.old, old == line.new { return [" \(old)"] }
        return [line.old.map { "-\($0)" }, line.new.map { "+\($0)" }].compactMap(\.self)
    }

    /// The lines of each hunk. Changes that are close to each other share one.
    private var hunks: [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].old != lines[index].new {
            let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }

    /// The first line, counted from 1, and the number of lines. An empty range has the line before it.
    private static func position(_ before: Int, _ count: Int) -> String {
        count == 0 ? "\(before),0" : "\(before + 1),\(count)"
    }
}
