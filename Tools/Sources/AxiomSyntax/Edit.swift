// SPDX-License-Identifier: Apache-2.0

/// A replacement of bytes of a file.
package struct Edit: Sendable, Hashable {
    /// The UTF-8 offsets that the replacement takes the place of, counted in the bytes of the file, its byte order mark
    /// included. An empty range inserts.
    package var range: Range<Int>
    /// The new text.
    package var replacement: String

    package init(replacing range: Range<Int>, with replacement: String) {
        self.range = range
        self.replacement = replacement
    }
}
