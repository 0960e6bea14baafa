// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The file of one value: a line of text, the bytes of the key, and the bytes of the value.
///
///     axiom-value 1 5f0c9a12 4 102400
///     cart{"items":…
///
/// The line has the format, the CRC-32C of everything behind the line, and the lengths of the key and the value. A later
/// format changes more of the line than its number: otherwise one damaged byte would make a value look newer, and the
/// application that needs it would not start.
enum ValueFile {
    /// More bytes than the first line can have.
    static let headerLimit = 96
    static let format = 1
    private static let name = "axiom-value"
    private static let newline = UInt8(ascii: "\n")

    /// The file of a value, and its checksum.
    static func encode(_ key: StorageKey, _ data: Data) -> (bytes: [UInt8], checksum: UInt32) {
        let keyBytes = Array(key.name.utf8)
        let checksum = CRC32C.checksum(data, after: CRC32C.checksum(keyBytes))
        let line = header(checksum, keyBytes.count, data.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.utf8.count + keyBytes.count + data.count)
        bytes += line.utf8
        bytes += keyBytes
        bytes += data
        return (bytes, checksum)
    }

    /// The size of the file of a value.
    static func size(_ key: StorageKey, _ data: Data) -> Int {
        let keyCount = key.name.utf8.count
        return header(0, keyCount, data.count).utf8.count + keyCount + data.count
    }

    /// The key and the value of a file.
    ///
    /// - Throws: ``Flaw`` if the bytes are not what ``encode(_:_:)`` wrote.
    static func decode(_ bytes: [UInt8]) throws(Flaw) -> (key: StorageKey, data: Data) {
        let (checksum, keyCount, dataCount): (UInt32, Int, Int)
        do {
            (checksum, keyCount, dataCount) = try parse(bytes)
        } catch {
            throw isWholeWithoutNumber(bytes) ? .damaged("the number of its format is wrong") : error
        }
        let line = header(checksum, keyCount, dataCount).utf8.count
        guard bytes.count == line + keyCount + dataCount else { throw .damaged("its length is wrong") }
        let body = bytes.dropFirst(line)
        guard CRC32C.checksum(body) == checksum else { throw .damaged("its checksum is wrong") }
        guard let key = String(validating: body.prefix(keyCount), as: UTF8.self) else {
            throw .damaged("its key is not text")
        }
        return (StorageKey(key), Data(body.dropFirst(keyCount)))
    }

    /// Whether everything but the number of the format is that of a file of this format.
    private static func isWholeWithoutNumber(_ bytes: [UInt8]) -> Bool {
        let start = Array("\(name) \(format) ".utf8)
        return !bytes.starts(with: start) && (try? decode(start + bytes.dropFirst(start.count))) != nil
    }

    /// The checksum in the first line, and the length of the key.
    static func parse(_ bytes: some Collection<UInt8>) throws(Flaw) -> (checksum: UInt32, key: Int, data: Int) {
        let line = bytes.prefix(headerLimit).prefix { $0 != newline }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == name, let version = Int(words[1]) else {
            throw .damaged("its first line is not that of a value")
        }
        guard version <= format else { throw .newer(version) }
        guard words.count == 5, let checksum = UInt32(words[2], radix: 16), let key = Int(words[3]),
            let data = Int(words[4]), (0...maximum).contains(key), (0...maximum).contains(data),
            // Every byte of the line counts.
            (String(decoding: line, as: UTF8.self) + "\n").utf8.elementsEqual(header(checksum, key, data).utf8)
        else { throw .damaged("its first line is not that of a value") }
        return (checksum, key, data)
    }

    /// The sum of two lengths cannot overflow.
    private static let maximum = Int(Int32.max)

    private static func header(_ checksum: UInt32, _ key: Int, _ data: Int) -> String {
        "\(name) \(format) \(CRC32C.digits(checksum)) \(key) \(data)\n"
    }
}

/// Why the bytes of a file cannot be used.
enum Flaw: Error, Hashable {
    case damaged(String)
    /// A newer version wrote it, in this format.
    case newer(Int)
}
