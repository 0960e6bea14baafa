// SPDX-License-Identifier: Apache-2.0

#if Tools
/// A replacement of bytes of a file.
package struct Edit: Sendable, Hashable, Codable {
    /// The UTF-8 offsets that the replacement takes the place of, counted in the bytes of the file, its byte order mark
    /// included. An empty range inserts.
    package var range: Range<Int>
    /// The new text.
    package var replacement: String

    package init(replacing range: Range<Int>, with replacement: String) {
        self.range = range
        self.replacement = replacement
    }

    /// The edit with the line ends of a file, which are those of its first line.
    package func withLineEnds(of file: SourceText) -> Edit {
        guard let end = file.bytes.firstIndex(of: UInt8(ascii: "\n")), end > 0,
            file.bytes[end - 1] == UInt8(ascii: "\r")
        else { return self }
        var bytes: [UInt8] = []
        for byte in replacement.utf8 {
            if byte == UInt8(ascii: "\n"), bytes.last != UInt8(ascii: "\r") { bytes.append(UInt8(ascii: "\r")) }
            bytes.append(byte)
        }
        return Edit(replacing: range, with: String(decoding: bytes, as: UTF8.self))
    }
}
#endif
