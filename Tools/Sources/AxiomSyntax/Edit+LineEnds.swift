// SPDX-License-Identifier: Apache-2.0

extension Edit {
    /// The edit with the line ends of a file: those of its first line.
    package func withLineEnds(of text: SourceText) -> Edit {
        guard let end = text.bytes.firstIndex(of: UInt8(ascii: "\n")), end > 0,
            text.bytes[end - 1] == UInt8(ascii: "\r")
        else { return self }
        var bytes: [UInt8] = []
        for byte in replacement.utf8 {
            if byte == UInt8(ascii: "\n"), bytes.last != UInt8(ascii: "\r") { bytes.append(UInt8(ascii: "\r")) }
            bytes.append(byte)
        }
        return Edit(replacing: range, with: String(decoding: bytes, as: UTF8.self))
    }
}
