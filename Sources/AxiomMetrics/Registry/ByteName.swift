// SPDX-License-Identifier: Apache-2.0

/// A name that equals another when their bytes are the same.
///
/// Swift's own equality of strings takes two encodings of one character for the same: `café` with one code point for its
/// last letter and with two. Prometheus does not, and neither do the label sets here.
package struct ByteName: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteName, right: ByteName) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: ByteName, right: ByteName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        hasher.combine(0xff as UInt8)
    }
}
