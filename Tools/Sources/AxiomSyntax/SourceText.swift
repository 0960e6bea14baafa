// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The bytes of a file, and where its lines begin.
package struct SourceText: Sendable {
    package let path: String
    /// As read, with byte order mark and line ends.
    package let bytes: [UInt8]
    private let lines = LineTable()

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// The offset of the first byte of each line. Lines end at `\n`, `\r\n` and `\r`, as Swift has it.
    private var lineStarts: [Int] { lines.starts(in: bytes) }

    package var lineCount: Int { lineStarts.count }

    /// The place of an offset. An offset beyond the end is at the end.
    package func position(of offset: Int) -> SourceSpan.Position {
        let offset = min(max(offset, 0), bytes.count)
        let lineStarts = lineStarts
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return .init(line: low + 1, column: offset - lineStarts[low] + 1)
    }

    package func span(_ offsets: Range<Int>) -> SourceSpan {
        SourceSpan(
            path: path,
            offsets: offsets,
            start: position(of: offsets.lowerBound),
            end: position(of: offsets.upperBound)
        )
    }

    /// The text of a line that is counted from 1, without its end.
    package func line(_ number: Int) -> String {
        let lineStarts = lineStarts
        guard lineStarts.indices.contains(number - 1) else { return "" }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

/// Where the lines of one text begin, once someone wants to know: most texts have no findings.
private final class LineTable: Sendable {
    private let known = Mutex<[Int]?>(nil)

    func starts(in bytes: [UInt8]) -> [Int] {
        known.withLock { known in
            if let known { return known }
            let starts = Self.starts(of: bytes)
            known = starts
            return starts
        }
    }

    private static func starts(of bytes: [UInt8]) -> [Int] {
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            let isCarriageReturn = byte == UInt8(ascii: "\r")
            let endsPair = isCarriageReturn && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\n") || (isCarriageReturn && !endsPair) { starts.append(index + 1) }
        }
        return starts
    }
}
