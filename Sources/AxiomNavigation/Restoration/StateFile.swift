// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The file of one image: two lines of text, and the image as JSON.
///
///     axiom-state 1 5f0c9a12
///     17 102400
///     {"appVersion":…
///
/// The first line has the format and the CRC-32C of everything behind it. The second line has the number of the save,
/// which grows with each one, and the length of the image.
struct StateFile: Sendable, Hashable {
    /// Why a file cannot be used.
    struct Flaw: Error, Hashable {
        let reason: SetAsideImage.Reason
        let detail: String
    }

    /// Numbers from here on are not written: the next one can always be computed.
    static let sequenceLimit = UInt64(1) << 62
    /// More bytes than the two lines can have.
    static let headerLimit = 96
    private static let name = "axiom-state"

    let sequence: UInt64
    let image: AppImage

    /// The file of `image`.
    ///
    /// - Throws: The error of the encoder.
    static func encode(_ image: AppImage, sequence: UInt64) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = try encoder.encode(image)
        let body = Array("\(sequence) \(json.count)\n".utf8) + json
        let checksum = CRC32C.digits(CRC32C.checksum(body))
        return Array("\(name) \(AppImage.currentFormat) \(checksum)\n".utf8) + body
    }

    /// Reads the number of the save and checks nothing else; nil if it cannot be read.
    static func sequence(_ header: some Sequence<UInt8>) -> UInt64? {
        let lines = Array(header.prefix(headerLimit)).split(separator: newline, maxSplits: 2)
        guard lines.count >= 2, words(lines[0]).first == name else { return nil }
        return words(lines[1]).first.flatMap { UInt64($0) }.flatMap { $0 < sequenceLimit ? $0 : nil }
    }

    /// Reads a file.
    ///
    /// - Throws: ``Flaw`` if the file is not what ``encode(_:sequence:)`` wrote, or a newer version wrote it.
    init(_ bytes: [UInt8], appVersion: Version) throws(Flaw) {
        let json = try Self.checked(bytes)
        sequence = json.sequence
        image = try Self.decode(json.bytes, appVersion)
    }

    private static let newline = UInt8(ascii: "\n")

    /// The image behind the two lines, after all checks of its bytes.
    private static func checked(_ bytes: [UInt8]) throws(Flaw) -> (sequence: UInt64, bytes: ArraySlice<UInt8>) {
        guard let end = bytes.prefix(headerLimit).firstIndex(of: newline) else { throw damaged("it has no first line") }
        let first = words(bytes[..<end])
        guard first.count == 3, first[0] == name, let format = Int(first[1]) else {
            throw damaged("its first line is not that of a saved state")
        }
        guard format <= AppImage.currentFormat else {
            throw Flaw(reason: .newer, detail: "it has the format \(format)")
        }
        let body = bytes[(end + 1)...]
        // The checksum does not cover the first line, so every byte of that is compared.
        let line = "\(name) \(AppImage.currentFormat) \(CRC32C.digits(CRC32C.checksum(body)))"
        guard bytes[..<end].elementsEqual(line.utf8) else { throw damaged("its checksum is wrong") }
        guard let next = body.prefix(headerLimit).firstIndex(of: newline) else {
            throw damaged("it has no second line")
        }
        let second = words(body[..<next])
        let json = body[(next + 1)...]
        guard second.count == 2, let sequence = UInt64(second[0]), sequence < sequenceLimit,
            second[1] == "\(json.count)"
        else { throw damaged("its length is wrong") }
        return (sequence, json)
    }

    private static func decode(_ json: ArraySlice<UInt8>, _ appVersion: Version) throws(Flaw) -> AppImage {
        struct Versions: Decodable {
            let format: Int
            let appVersion: Version
        }
        do {
            let data = Data(json)
            let versions = try JSONDecoder().decode(Versions.self, from: data)
            guard versions.format <= AppImage.currentFormat else {
                throw Flaw(reason: .newer, detail: "it has the format \(versions.format)")
            }
            guard versions.appVersion <= appVersion else {
                throw Flaw(reason: .newer, detail: "the version \(versions.appVersion) of the application saved it")
            }
            return try JSONDecoder().decode(AppImage.self, from: data)
        } catch {
            throw error as? Flaw ?? damaged("\(error)")
        }
    }

    private static func damaged(_ detail: String) -> Flaw { Flaw(reason: .damaged, detail: detail) }

    private static func words(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
