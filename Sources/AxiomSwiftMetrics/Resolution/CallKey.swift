// SPDX-License-Identifier: Apache-2.0

/// The words with which a handler is asked for, as bytes in a row: the label, then each dimension's name and value in
/// the order in which they are given.
enum CallKey {
    // Neither byte occurs in UTF-8, so that different words are different bytes.
    private static let beforeName: UInt8 = 0xff
    private static let beforeValue: UInt8 = 0xfe

    /// Lends the bytes to `body`; on the stack where they are few.
    @inline(__always)
    static func withBytes<Result>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var size = label.utf8.count
        for (name, value) in dimensions { size += name.utf8.count + value.utf8.count + 2 }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var end = put(label, buffer, 0)
            for (name, value) in dimensions {
                buffer[end] = beforeName
                end = put(name, buffer, end + 1)
                buffer[end] = beforeValue
                end = put(value, buffer, end + 1)
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
        }
    }

    /// Writes a text at `start`; returns where it ends.
    @inline(__always)
    private static func put(_ text: String, _ buffer: UnsafeMutableRawBufferPointer, _ start: Int) -> Int {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { rest.copyMemory(from: .init($0)) }
        if isCopied == nil { rest.copyBytes(from: text.utf8) }
        return start + text.utf8.count
    }
}
