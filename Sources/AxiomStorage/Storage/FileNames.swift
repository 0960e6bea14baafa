// SPDX-License-Identifier: Apache-2.0

/// The names of the files of keys.
///
/// Lower-case letters, digits, `-` and `_` stand for themselves; each other byte is `%` and two hexadecimal digits, also
/// an upper-case letter, because some file systems ignore the case. So `orders/17` is `orders%2f17.value`. A name that
/// would be too long is cut, and gets `~` and a number that no other file has; its key is in the file.
enum FileNames {
    static let suffix = ".value"
    /// With the suffix, and the affixes of an unfinished file, a name stays below the 255 bytes of file systems.
    private static let limit = 180
    /// Numbers from here on are not used: the next one can always be computed.
    private static let numberLimit = 1 << 62

    /// The name of the file of a key; nil if it needs a number.
    static func name(_ key: StorageKey) -> String? {
        let encoded = encoded(key.name.utf8)
        return encoded.utf8.count <= limit ? encoded + suffix : nil
    }

    /// The name of the file of a long key.
    static func name(_ key: StorageKey, number: Int) -> String {
        // A byte has at most three characters, and the cut must not be within one.
        "\(encoded(key.name.utf8.prefix(limit / 3 - 10)))~\(number)\(suffix)"
    }

    /// The key of a name.
    enum Meaning: Hashable {
        case key(StorageKey)
        /// The key is in the file.
        case numbered(Int)
        /// It is not the name of a value's file.
        case none
    }

    static func meaning(_ name: String) -> Meaning {
        guard name.hasSuffix(suffix) else { return .none }
        let stem = name.dropLast(suffix.count)
        if let mark = stem.utf8.lastIndex(of: UInt8(ascii: "~")) {
            // What stands before the number is cut, possibly within a character, so it cannot be decoded.
            let digits = stem.utf8[mark...].dropFirst()
            guard stem.utf8[..<mark].allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "%") }),
                let number = Int(String(decoding: digits, as: UTF8.self)), (1..<numberLimit).contains(number),
                digits.elementsEqual("\(number)".utf8)
            else { return .none }
            return .numbered(number)
        }
        guard let key = decoded(stem).map({ StorageKey($0) }), Self.name(key) == name else { return .none }
        return .key(key)
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte of a key stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
