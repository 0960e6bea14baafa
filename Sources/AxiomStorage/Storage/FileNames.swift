// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// The names of the files of keys.
///
/// Lower-case letters, digits, `-` and `_` stand for themselves; each other byte is `%` and two hexadecimal digits, also
/// an upper-case letter, because some file systems ignore the case. So `orders/17` is `orders%2f17.value`. A name that
/// would be too long is cut, and gets `~` and a checksum of the key, which stands in the file.
enum FileNames {
    static let suffix = ".value"
    /// With the suffix, and the affixes of an unfinished file, a name stays below the 255 bytes of file systems.
    private static let limit = 180
    private static let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The key of a name.
    enum Meaning: Hashable {
        case key(StorageKey)
        /// The key is in the file.
        case long
        /// It is not the name of a value's file.
        case none
    }

    /// The name of the file of a key. Two long keys may have one name; their files are told apart by the key in them.
    static func name(_ key: StorageKey) -> String {
        let text = encoded(key)
        guard text.utf8.count > limit else { return text + suffix }
        // FNV-1a.
        let sum = key.name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(sum, radix: 16)
        return "\(text.prefix(limit - 30))~\(String(repeating: "0", count: 16 - digits.count))\(digits)\(suffix)"
    }

    static func meaning(_ name: String) -> Meaning {
        guard name.hasSuffix(suffix) else { return .none }
        let stem = name.dropLast(suffix.count)
        if let key = decoded(String(stem)), Self.name(key) == name { return .key(key) }
        let parts = stem.split(separator: "~", omittingEmptySubsequences: false)
        let allowed = plain.union(CharacterSet(charactersIn: "%"))
        let digits = CharacterSet(charactersIn: "0123456789abcdef")
        guard parts.count == 2, parts[0].utf8.count == limit - 30, parts[1].utf8.count == 16,
            parts[0].unicodeScalars.allSatisfy(allowed.contains), parts[1].unicodeScalars.allSatisfy(digits.contains)
        else { return .none }
        return .long
    }

    static func encoded(_ key: StorageKey) -> String {
        (key.name.addingPercentEncoding(withAllowedCharacters: plain) ?? "").lowercased()
    }

    static func decoded(_ text: String) -> StorageKey? {
        // Foundation drops a byte order mark at the start of a text.
        "_\(text)".removingPercentEncoding.map { StorageKey(String($0.unicodeScalars.dropFirst())) }
    }
}
