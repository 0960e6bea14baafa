// SPDX-License-Identifier: Apache-2.0

@testable import Axiom
@testable import AxiomBase
@testable import AxiomNavigation
@testable import AxiomStatistics
@testable import AxiomStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FuzzTarget {
    /// Files that Axiom writes and reads. Each input is read twice: as it is, and behind a header with the right checksum,
    /// because no mutation finds one.
    static let files: [FuzzTarget] = [
        FuzzTarget(
            "baseline",
            maximumLength: 4_096,
            steps: (20_000, 500_000),
            share: 1,
            words: baselineWords,
            checkBaseline
        ),
        FuzzTarget("json", maximumLength: 512, steps: (2_000, 50_000), share: 6, words: jsonWords, checkJSON),
        FuzzTarget("state-archive", share: 5, words: archiveWords, checkArchive),
        FuzzTarget("storage-value", words: ["axiom-value 1 00000000 a\n", "axiom-value"], checkValue),
        FuzzTarget(
            "storage-journal",
            words: ["[{\"name\":\"a.value\",\"checksum\":1}]", "[", "]", ",", ".value", "%2f", "~", "../"],
            checkJournal
        ),
        FuzzTarget("storage-name", maximumLength: 400, words: [".value", "%2f", "~1", "~", ".."], checkName),
        FuzzTarget(
            "stored-state",
            share: 4,
            words: ["{\"axiom\":1,\"version\":2}\n", "{\"items\":[]}", "\"version\":"],
            checkState
        ),
    ]

    static let jsonWords = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "true", "1e308", "1e-324", "9007199254740993", "-0", "\\u0000",
        "\\ud83d\\ude00",
        "\\ud83d", "e\u{301}", "\u{e9}",
    ]
    private static let baselineWords =
        jsonWords + [
            "\"schema\":\"axiom-bench/baseline\"", "\"schema_version\":1", "\"live_profiles\":[", "\"windows\":[",
            "\"hist\":",
        ]
    private static let archiveWords =
        jsonWords + ["\"format\":1", "\"appVersion\":\"1.2.3\"", "\"contexts\":{", "\"stacks\":{"]

    // MARK: - Baselines and profiles

    /// A file that is read is written as a file that is read as the same contents, and the second text is the first.
    private static func checkBaseline(_ bytes: [UInt8]) throws {
        _ = try? BaselineFile(bytes: bytes, name: "raw")
        guard let sealed = sealed(bytes), let file = try? BaselineFile(bytes: sealed, name: "sealed") else { return }
        let text = try file.text()
        let again = try BaselineFile(bytes: Array(text.utf8), name: "again")
        try require(again == file, "other contents after a round trip: \(text)")
        try require(try again.text().utf8.elementsEqual(text.utf8), "another text after a round trip")
    }

    /// The file with the checksum of its contents; nil if it is no object.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let json = try? JSON(parsing: bytes), case .object(let members) = json else { return nil }
        let rest = members.filter { $0.name != "sha256" }
        let sum = SHA256Digest.hex(JSONWriter.canonical(.object(rest)))
        return Array(JSONWriter.text(.object(rest + [JSON.Member("sha256", .string(sum))]), lines: []).utf8)
    }

    /// JSON that is read is written as JSON that is read as the same, and the canonical form is its own canonical form.
    private static func checkJSON(_ bytes: [UInt8]) throws {
        guard let json = try? JSON(parsing: bytes) else { return }
        let text = JSONWriter.text(json, lines: ["a"])
        try require(try JSON(parsing: Array(text.utf8)) == json, "other JSON after a round trip: \(text)")
        let canonical = JSONWriter.canonical(json)
        let again = JSONWriter.canonical(try JSON(parsing: Array(canonical.utf8)))
        try require(again.utf8.elementsEqual(canonical.utf8), "\(canonical) is not canonical: \(again)")
    }

    // MARK: - The state of an application

    /// An image that is read is not newer, and is read again from what is written for it.
    private static func checkArchive(_ bytes: [UInt8]) throws {
        let known = Version(1, 2, 3)
        guard case .usable(let image) = StorageArchive.decode(Data(bytes), upTo: known) else { return }
        try require(image.appVersion <= known, "the newer version \(image.appVersion)")
        let written = try StorageArchive.encode(image)
        guard case .usable(let again) = StorageArchive.decode(written, upTo: known) else {
            throw FuzzFailure(description: "\(image) is not read again")
        }
        try require(again == image, "another image after a round trip")
        try require(try StorageArchive.encode(again) == written, "other bytes")
    }

    // MARK: - Storage

    /// A file that is read is exactly what is written for its key and its value.
    private static func checkValue(_ bytes: [UInt8]) throws {
        if let (key, data, _) = try? StoredFile.decode(bytes) {
            try require(StoredFile.encode(key, data).bytes == bytes, "other bytes for \(key)")
        }
        let cut = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        let (key, data) = (StorageKey(String(decoding: bytes[..<cut], as: UTF8.self)), Data(bytes[cut...]))
        let written = StoredFile.encode(key, data).bytes
        try require(written.count == StoredFile.size(key, data), "another size for \(key)")
        let (found, again, _) = try StoredFile.decode(written)
        try require(found == key && again == data, "another value of \(key)")
    }

    /// No step of a journal that is read leaves the folder.
    private static func checkJournal(_ bytes: [UInt8]) throws {
        _ = try? FileFolder.steps(bytes)
        guard let steps = try? FileFolder.steps(StoredFile.encode(".journal", Data(bytes)).bytes) else { return }
        for step in steps {
            try require(
                !step.name.utf8.contains(where: { [0, UInt8(ascii: "/")].contains($0) }),
                "the name \(step.name)"
            )
        }
    }

    /// A file's name has one spelling, and the name of a short key leads back to it.
    private static func checkName(_ bytes: [UInt8]) throws {
        let key = StorageKey(bytes.text)
        let name = FileNames.name(key)
        try require(name.utf8.count <= 200 && !name.contains("/"), "the name \(name)")
        let meaning = FileNames.meaning(name)
        try require(meaning == .key(key) || meaning == .long && name.contains("~"), "the meaning of \(name)")
        if case .key(let meant) = FileNames.meaning(bytes.text) {
            try require(FileNames.name(meant).utf8.elementsEqual(bytes.text.utf8), "two names of \(meant)")
        }
    }

    private struct Items: Codable, Hashable {
        var items: [String] = []
        var count: Int?
        var ratio: Double?
    }

    /// A stored state and a change of the outbox are read from what is written for them.
    private static func checkState(_ bytes: [UInt8]) throws {
        let format = StateFormat(version: 2, [.from(1) { (old: [String]) in Items(items: old) }])
        if case .state(let items, let version) = format.decode(Items.self, Data(bytes)) {
            try require((1...2).contains(version), "the version \(version)")
            guard case .state(let again, from: 2) = format.decode(Items.self, try format.encode(items)) else {
                throw FuzzFailure(description: "\(items) is not read again")
            }
            try requireEqual(again, items, "the state")
        }
        if let record = OutboxRecord(Data(bytes)) {
            try require(OutboxRecord(try record.data) == record, "another record than \(record)")
            try require(record.change.attempts >= 0, "\(record.change.attempts) attempts")
        }
        let keys = OutboxKeys("a")
        let key = StorageKey(bytes.text)
        if let (number, id) = keys.place(of: key), let id {
            try requireEqual(keys[number, id], key, "the key of \(number)")
        }
    }
}
