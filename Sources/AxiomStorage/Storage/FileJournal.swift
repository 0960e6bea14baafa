// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// One step of a change of files that is decided: the contents of a put are already on the disk, under the name of an
/// unfinished file.
enum FileStep: Hashable {
    /// Renames the unfinished file. The checksum is that of its contents.
    case put(name: String, checksum: UInt32)
    case remove(name: String)

    var name: String {
        switch self {
        case .put(let name, _), .remove(let name): name
        }
    }
}

/// The file that decides a transaction of several keys: from the moment that it has its name, all of its steps are
/// carried out, if necessary by the next process.
///
///     axiom-journal 1 77d1c0aa
///     put cart.value 5f0c9a12
///     remove orders%2f17.value
///
/// The first line has the format and the CRC-32C of everything behind it.
enum FileJournal {
    static let fileName = ".journal"
    private static let format = 1
    private static let name = "axiom-journal"

    static func encode(_ steps: [FileStep]) -> [UInt8] {
        let lines = steps.map { step in
            switch step {
            case .put(let name, let checksum): "put \(name) \(CRC32C.digits(checksum))\n"
            case .remove(let name): "remove \(name)\n"
            }
        }
        let body = Array(lines.joined().utf8)
        return Array(header(format, body).utf8) + body
    }

    /// - Throws: ``Flaw``.
    static func decode(_ bytes: [UInt8]) throws(Flaw) -> [FileStep] {
        let newline = UInt8(ascii: "\n")
        let first = bytes.prefix { $0 != newline }
        let words = String(decoding: first, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == name, let version = Int(words[1]) else {
            throw .damaged("its first line is not that of a journal")
        }
        let body = Array(bytes.dropFirst(first.count + 1))
        let whole = Array(header(format, body).utf8) + body
        guard version <= format else {
            // A later format changes more of the line than its number.
            let start = "\(name) \(format) ".utf8.count
            let isWhole = bytes.dropFirst(start).elementsEqual(whole.dropFirst(start))
            throw isWhole ? .damaged("the number of its format is wrong") : .newer(version)
        }
        guard bytes == whole else { throw .damaged("its checksum is wrong") }
        var steps: [FileStep] = []
        for line in body.split(separator: newline) {
            guard let step = step(String(decoding: line, as: UTF8.self)) else {
                throw .damaged("it has an unknown line")
            }
            steps.append(step)
        }
        // Lines have one spelling: no second blank, no sign, no empty line.
        guard encode(steps) == bytes else { throw .damaged("it has an unknown line") }
        return steps
    }

    private static func header(_ format: Int, _ body: [UInt8]) -> String {
        "\(name) \(format) \(CRC32C.digits(CRC32C.checksum(body)))\n"
    }

    private static func step(_ line: String) -> FileStep? {
        let words = line.split(separator: " ")
        // A name stays inside of the folder.
        guard words.count >= 2, FileNames.meaning(String(words[1])) != .none, !words[1].contains("/") else {
            return nil
        }
        let name = String(words[1])
        switch (words[0], words.count) {
        case ("put", 3): return UInt32(words[2], radix: 16).map { .put(name: name, checksum: $0) }
        case ("remove", 2): return .remove(name: name)
        default: return nil
        }
    }
}
