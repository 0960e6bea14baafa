// SPDX-License-Identifier: Apache-2.0

/// A part of a file, with its place for people.
package struct SourceSpan: Sendable, Hashable {
    /// A line and a column, both counted from 1. The column counts UTF-8 bytes, as the compiler does.
    package struct Position: Sendable, Hashable {
        package var line: Int
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// The path of the file as it was given or found, relative to the root of the project where possible, with `/`.
    package var path: String
    /// UTF-8 offsets in the bytes of the file.
    package var offsets: Range<Int>
    package var start: Position
    package var end: Position

    package init(path: String, offsets: Range<Int>, start: Position, end: Position) {
        self.path = path
        self.offsets = offsets
        self.start = start
        self.end = end
    }
}

extension SourceSpan.Position: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
