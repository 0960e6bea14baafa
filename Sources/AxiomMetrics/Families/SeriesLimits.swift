// SPDX-License-Identifier: Apache-2.0

/// How much a family may keep: series, and bytes of labels.
struct SeriesLimits: Hashable, Sendable {
    /// The most series.
    let series: Int
    /// The most bytes of one label value.
    let valueBytes: Int
    /// The most bytes of all series' rendered labels together.
    let labelBytes: Int

    init(_ options: MetricOptions) {
        series = options.seriesLimit
        valueBytes = options.valueByteLimit
        let (product, overflow) = options.seriesLimit.multipliedReportingOverflow(by: 512)
        labelBytes = options.labelByteLimit ?? (overflow ? .max : product)
    }

    /// The text itself, or cut when it has more bytes than `limit`.
    static func truncated(_ text: String, beyond limit: Int) -> String {
        text.utf8.count <= limit ? text : truncated(text, to: limit)
    }

    /// The beginning of a text that is too long, and a mark with its length and a hash of all of it: two texts that begin
    /// alike stay two. The hash is the same in every process.
    ///
    /// - Parameter limit: The most bytes of the result; at least 64, so that the mark has room.
    static func truncated(_ text: String, to limit: Int) -> String {
        var text = text
        return text.withUTF8 { bytes in
            let digits = String(LabelHash.hash(UnsafeRawBufferPointer(bytes), seed: 0), radix: 16)
            let hash = String(repeating: "0", count: 16 - digits.count) + digits
            let mark = "…[\(bytes.count) bytes, \(hash)]"
            var end = max(min(limit - mark.utf8.count, bytes.count), 0)
            // A byte 10xxxxxx continues a character.
            while end > 0, end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
            return String(decoding: bytes[..<end], as: UTF8.self) + mark
        }
    }
}
