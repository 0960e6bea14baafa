// SPDX-License-Identifier: Apache-2.0

/// What a look-up computes from label values before it knows the series. It writes no text: it finds a series by the hash
/// and compares the values with the labels of the series in place.
struct LabelKey {
    private let seed: UInt64
    /// Of the values that are not empty, in their order; never 0.
    private(set) var hash: UInt64 = 1
    /// The number of values that are not empty.
    private(set) var count = 0

    init(seed: UInt64) { self.seed = seed }

    @inline(__always)
    mutating func add(_ value: UnsafeRawBufferPointer) {
        guard let start = value.baseAddress, value.count > 0 else { return }
        hash = (hash &* 0x9e37_79b9_7f4a_7c15 &+ ByteHash.value(start, value.count, seed)) | 1
        count &+= 1
    }

    /// Whether these are the values of a series, which must have as many labels, no escape and no name in quotes.
    ///
    /// Such labels have two quotes each. If the bytes around all values are quotes, the values of the look-up have none, so
    /// equal bytes are equal values. The names need a comparison only if labels are absent.
    @inline(__always)
    func matches(_ own: [UInt8], _ template: LabelTemplate, _ values: UnsafePointer<String>) -> Bool {
        own.withUnsafeBytes { own in
            template.openings.withUnsafeBytes { openings in
                guard let openings = openings.baseAddress else { return false }
                var rest = RenderedLabels(own, hasAll: count == template.count)
                for label in 0..<template.count {
                    let range = template.opening(label)
                    let isNext = values[label].utf8.withContiguousStorageIfAvailable {
                        rest.take(openings + range.lowerBound, range.count, UnsafeRawBufferPointer($0))
                    }
                    guard isNext == true else { return false }
                }
                return rest.isEmpty
            }
        }
    }
}

/// Rendered labels without escapes, from the first one that was not yet compared.
private struct RenderedLabels {
    private var start: UnsafeRawPointer?
    private var count: Int
    private var comma = 0
    /// Whether no label is absent.
    private let hasAll: Bool

    init(_ rendered: UnsafeRawBufferPointer, hasAll: Bool) {
        start = rendered.baseAddress
        count = rendered.count
        self.hasAll = hasAll
    }

    var isEmpty: Bool { count == 0 }

    /// Skips a label, if it is the next one; false if it is not. A label with an empty value is not among them.
    @inline(__always)
    mutating func take(_ opening: UnsafeRawPointer, _ openingCount: Int, _ value: UnsafeRawBufferPointer) -> Bool {
        guard let bytes = value.baseAddress, value.count > 0 else { return true }
        let length = comma &+ openingCount &+ value.count &+ 1
        guard count >= length, let name = start.map({ $0 + comma }) else { return false }
        (start, count, comma) = (name + (length &- comma), count &- length, 1)
        let own = name + openingCount
        let quote = UInt8(ascii: "\"")
        return own.load(fromByteOffset: value.count, as: UInt8.self) == quote
            && own.load(fromByteOffset: -1, as: UInt8.self) == quote
            && (hasAll || ByteHash.areEqual(name, opening, openingCount))
            && ByteHash.areEqual(own, bytes, value.count)
    }
}
