// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// A file of a ``FileStorage``: a line of text, and the bytes of the value.
///
///     axiom-value 1 5f0c9a12 orders%2f17
///     {"items":…
///
/// The line has the format, the CRC-32C of everything behind it, and the key. A later format changes more of the line than its
/// number: otherwise one damaged byte would make a value look newer, and the application that needs it would not start.
enum StoredFile {
    static let format = 1
    private static let name = "axiom-value "
    private static let newline = UInt8(ascii: "\n")

    /// The file of a value, and its checksum.
    static func encode(_ key: StorageKey, _ data: Data) -> (bytes: [UInt8], checksum: UInt32) {
        let line = Array("\(FileNames.encoded(key))\n".utf8)
        let checksum = CRC32C.checksum(data, after: CRC32C.checksum(line))
        return (start(checksum) + line + data, checksum)
    }

    /// The size of the file of a value.
    static func size(_ key: StorageKey, _ data: Data) -> Int {
        start(0).count + FileNames.encoded(key).utf8.count + 1 + data.count
    }

    /// The contents of a file. Throws ``Flaw`` if the bytes are not what ``encode(_:_:)`` wrote.
    static func decode(_ bytes: [UInt8]) throws(Flaw) -> (key: StorageKey, data: Data, checksum: UInt32) {
        guard let version = version(bytes) else { throw .damaged("its first line is not that of a value") }
        let rest = bytes.dropFirst(start(0).count)
        let checksum = CRC32C.checksum(rest)
        let start = start(checksum)
        let behindNumber = name.utf8.count + 1
        let isWhole = bytes.prefix(start.count).dropFirst(behindNumber).elementsEqual(start[behindNumber...])
        guard version <= format else { throw isWhole ? .damaged("the number of its format is wrong") : .newer(version) }
        guard isWhole, version == format, let key = key(bytes) else { throw .damaged("its checksum is wrong") }
        return (key, Data(rest.drop { $0 != newline }.dropFirst()), checksum)
    }

    /// The key in the first line, which is not checked; nil if the line is not whole.
    static func key(_ bytes: [UInt8]) -> StorageKey? {
        let line = bytes.prefix { $0 != newline }
        guard line.count < bytes.count, line.count >= start(0).count else { return nil }
        return FileNames.decoded(String(decoding: line.dropFirst(start(0).count), as: UTF8.self))
    }

    private static func version(_ bytes: [UInt8]) -> Int? {
        guard bytes.starts(with: name.utf8) else { return nil }
        let digits = bytes.dropFirst(name.utf8.count).prefix { $0 != UInt8(ascii: " ") && $0 != newline }
        return digits.count < 10 ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    /// The bytes that the checksum does not cover.
    private static func start(_ checksum: UInt32) -> [UInt8] {
        Array("\(name)\(format) \(CRC32C.digits(checksum)) ".utf8)
    }
}

/// Why the bytes of a file cannot be used.
enum Flaw: Error, Hashable {
    case damaged(String)
    /// A newer version wrote it, in this format.
    case newer(Int)
}
