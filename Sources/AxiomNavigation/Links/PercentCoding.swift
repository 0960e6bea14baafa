// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding (RFC 3986, section 2.1).
enum PercentCoding {
    /// Decodes `text` once.
    ///
    /// - Parameter isForm: Whether a plus sign stands for a space, as in the queries of forms.
    static func decode(_ text: ArraySlice<UInt8>, isForm: Bool = false) throws(LinkProblem) -> String {
        guard text.contains(where: { $0 == .percent || (isForm && $0 == .plus) }) else {
            return String(decoding: text, as: UTF8.self)
        }
        var (bytes, index): ([UInt8], Int) = ([], text.startIndex)
        bytes.reserveCapacity(text.count)
        while index < text.endIndex {
            if text[index] == .percent {
                bytes.append(try byte(text[index...]))
                index += 3
            } else {
                bytes.append(isForm && text[index] == .plus ? 0x20 : text[index])
                index += 1
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw LinkProblem("its percent sequences are not valid UTF-8", at: text.startIndex, "Encode text as UTF-8.")
        }
        return decoded
    }

    /// The byte of the percent sequence at the beginning of `text`.
    private static func byte(_ text: ArraySlice<UInt8>) throws(LinkProblem) -> UInt8 {
        let digits = text.dropFirst().prefix(2).compactMap(\.hexadecimal)
        guard digits.count == 2 else {
            throw LinkProblem(
                "% is not followed by two hexadecimal digits",
                at: text.startIndex,
                "Write %25 for a percent sign."
            )
        }
        let byte = digits[0] << 4 | digits[1]
        guard byte != 0 else { throw LinkProblem("it contains the character NUL", at: text.startIndex, "Remove %00.") }
        return byte
    }

    /// Appends `text` with all bytes encoded except the unreserved characters and those in `kept`.
    static func append(_ text: String, to link: inout String, keeping kept: StaticString = "") {
        for byte in text.utf8 {
            if byte.isAlphanumeric || [.minus, .dot, 0x5f, 0x7e].contains(byte) || contains(kept, byte) {
                link.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                link.append("%")
                link.append(digit(byte >> 4))
                link.append(digit(byte & 15))
            }
        }
    }

    private static func contains(_ kept: StaticString, _ byte: UInt8) -> Bool {
        kept.withUTF8Buffer { $0.contains(byte) }
    }

    private static func digit(_ value: UInt8) -> Character {
        Character(Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10))
    }
}
