// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("The cache of facts")
struct FactsCacheTests {
    private let key = ContentHash(of: [1])

    private func text(_ contents: String, path: String = "a.swift") -> SourceText {
        SourceText(path: path, bytes: Array(contents.utf8))
    }

    @Test("Facts are made once for a path and its contents")
    func hit() throws {
        let folder = try SampleFolder()
        var made = 0
        func facts(_ text: SourceText) throws -> String {
            let cache = try #require(FactsCache(root: folder.path("cache"), key: key))
            return cache.facts(of: text) {
                made += 1
                return "facts \(made)"
            }
        }
        #expect(try facts(text("one")) == "facts 1")
        #expect(try facts(text("one")) == "facts 1")
        #expect(try facts(text("two")) == "facts 2")
        #expect(try facts(text("one", path: "b.swift")) == "facts 3")
        #expect(made == 3)
    }

    @Test("A broken file is ignored and written again", arguments: ["", "AVF1", "other bytes that are long enough"])
    func broken(contents: String) throws {
        let folder = try SampleFolder()
        let cache = try #require(FactsCache(root: folder.root, key: key))
        #expect(cache.facts(of: text("x")) { ["a": 1] } == ["a": 1])
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).first)
        let whole = try Data(contentsOf: URL(filePath: folder.path("\(key)/\(name)")))
        try folder.write(contents, to: "\(key)/\(name)")
        #expect(cache.facts(of: text("x")) { ["a": 2] } == ["a": 2])
        #expect(cache.facts(of: text("x")) { ["a": 3] } == ["a": 2])
        // A flipped bit anywhere.
        for index in whole.indices {
            var flipped = whole
            flipped[index] ^= 0x10
            try flipped.write(to: URL(filePath: folder.path("\(key)/\(name)")))
            #expect(cache.facts(of: text("x")) { ["a": 4] } == ["a": 4], "byte \(index)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 1)
    }

    @Test("Facts of another type are not read")
    func otherType() throws {
        let folder = try SampleFolder()
        let cache = try #require(FactsCache(root: folder.root, key: key))
        let words: String = cache.facts(of: text("x")) { "words" }
        let numbers: [Int] = cache.facts(of: text("x")) { [1, 2] }
        #expect(words == "words" && numbers == [1, 2])
    }

    @Test("Folders of older tools and settings are removed; other folders are not")
    func oldFolders() throws {
        let folder = try SampleFolder(["mine/keep.txt": ""])
        for number in 0..<8 {
            _ = FactsCache(root: folder.root, key: ContentHash(of: [UInt8(number)]))
            let date = Date(timeIntervalSince1970: 1_000_000 + Double(number))
            let path = folder.path("\(ContentHash(of: [UInt8(number)]))")
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        let kept = try folder.names
        #expect(kept.count == 5 && kept.contains("mine"))
        for number in 4..<8 { #expect(kept.contains("\(ContentHash(of: [UInt8(number)]))")) }
    }

    @Test("Files that no run uses any more are removed when there are many, by a run on the whole project")
    func prune() throws {
        let folder = try SampleFolder()
        let cache = try #require(FactsCache(root: folder.root, key: key))
        for number in 0..<450 { _ = cache.facts(of: text("\(number)")) { number } }
        cache.prune(keeping: [text("7")], isWhole: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 450)
        cache.prune(keeping: [text("7")], isWhole: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 1)
        #expect(cache.facts(of: text("7")) { -1 } == 7)
    }

    @Test("A cache that cannot be made is none")
    func unwritable() throws {
        let folder = try SampleFolder(["file": ""])
        #expect(FactsCache(root: folder.path("file/cache"), key: key) == nil)
    }
}

@Suite("Compact coding")
struct CompactCodingTests {
    enum Kind: Codable, Hashable {
        case plain
        case named(String, count: Int?)
        indirect case nested(Kind)
    }

    struct Empty: Codable, Hashable {}

    struct Sample: Codable, Hashable {
        var text = "é🍵"
        var absent: String?
        var present: Int? = -5
        var numbers: [Int] = [0, 1, -1, .max, .min, 127, 128]
        var unsigned: [UInt64] = [0, .max]
        var small: Int8 = .min
        var double = -0.1
        var flags = [true, false]
        var kinds: [Kind] = [.plain, .named("a", count: nil), .named("a", count: 3), .nested(.nested(.plain))]
        var empty = Empty()
        var map = ["k": [Empty()], "": []]
        var optionals: [Int?] = [nil, 1]
        var set: Set<String> = ["x"]
        var range = 3..<9
        var character = 7 as UInt16
    }

    @Test("What was written is read")
    func roundTrip() throws {
        let sample = Sample()
        #expect(try CompactDecoder.decode(Sample.self, from: CompactEncoder.encode(sample)) == sample)
        #expect(try CompactDecoder.decode(String.self, from: CompactEncoder.encode("")) == "")
        #expect(try CompactDecoder.decode([Kind].self, from: CompactEncoder.encode([Kind]())) == [])
    }

    @Test("Members may be read in another order, or be unknown")
    func order() throws {
        struct Old: Codable {
            var a = 1
            var b = [1, 2]
            var c = "c"
        }
        struct New: Codable {
            var c: String
            var d: Int?
            var a: Int
        }
        let new = try CompactDecoder.decode(New.self, from: CompactEncoder.encode(Old()))
        #expect(new.c == "c" && new.d == nil && new.a == 1)
    }

    @Test("Damaged bytes throw or give another value, and never trap", .timeLimit(.minutes(10)))
    func damaged() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let bytes = try CompactEncoder.encode([Sample(), Sample()])
        for _ in 0..<3_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(
                    in: .min ... .max,
                    using: &random
                )
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0...damaged.count, using: &random)) }
            _ = try? CompactDecoder.decode([Sample].self, from: damaged)
        }
    }
}

@Suite("Packed facts", .timeLimit(.minutes(10)))
struct PackingTests {
    /// The facts of this module and of its tests, which have every kind of fact.
    private let all = ["Sources/AxiomVerification", "Tests/AxiomVerificationTests"].flatMap { folder in
        Program(readingFolder: "Tools/\(folder)").facts.values
    }

    @Test("Facts are read as they were written")
    func roundTrip() {
        #expect(all.count > 100)
        for facts in all {
            let bytes = [7, 7] + Packing.bytes(of: facts)
            #expect(Packing.value(FileFacts.self, of: bytes, from: 2) == facts, "\(facts.path)")
        }
        let twins = FileFacts.read(path: "Shop.swift", module: "Shop", bytes: Array(TwinProgram.text.utf8))
        #expect(Packing.value(FileFacts.self, of: Packing.bytes(of: twins), from: 0) == twins)
        let hasAll = [
            all.contains { !$0.tries.isEmpty }, all.contains { !$0.catches.isEmpty },
            all.contains { !$0.statics.isEmpty }, all.contains { !$0.awaits.isEmpty },
            all.contains { !$0.globals.isEmpty }, all.contains { !$0.assignments.isEmpty },
        ]
        #expect(!hasAll.contains(false))
    }

    @Test("What the sources have nowhere is read as it was written, too")
    func rare() {
        let site = Site(declaration: 1, function: .max, closure: .min)
        let type = TypeReference(.other, "é", [TypeReference(.any, at: FactSpan(5, 2))], at: FactSpan(.max, 0))
        var facts = FileFacts(path: "", module: "🍵")
        facts.syntaxError = FactSpan(3, 3)
        facts.isTooDeep = true
        facts.lineStarts = [0, .max, 1]
        facts.suppressions = [
            Suppression(rule: "a", reason: "", span: FactSpan(1, 2), removal: FactSpan(0, 9), line: -1)
        ]
        facts.assignments = [
            Assignment(target: "a", value: Value(span: FactSpan(0, 1), made: type, strings: []), site: site),
            Assignment(target: "b", value: Value(span: FactSpan(0, 1), strings: ["", "b"]), site: Site()),
        ]
        #expect(Packing.value(FileFacts.self, of: Packing.bytes(of: facts), from: 0) == facts)
    }

    @Test("Damaged bytes are no facts or other ones, and never trap")
    func damaged() {
        var random = SplitMix64(seed: TestSeed.drawn())
        let packed = all.map { Packing.bytes(of: $0) }.filter { $0.count < 20_000 }
        for number in 0..<3_000 {
            var bytes = packed[number % packed.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
            _ = Packing.value(FileFacts.self, of: bytes, from: 0)
        }
        #expect(Packing.value(FileFacts.self, of: [], from: 0) == nil)
        #expect(Packing.value(FileFacts.self, of: [1], from: 5) == nil)
    }
}

@Suite("Hashes of contents")
struct ContentHashTests {
    @Test("Other bytes, another length and another border give another hash; equal ones the same")
    func different() {
        var seen = Set<String>()
        for count in 0..<64 {
            for value in [UInt8(0), 1, 255] {
                #expect(
                    seen.insert(ContentHash(of: Array(repeating: value, count: count)).description).inserted
                        || count == 0
                )
            }
        }
        var (one, two) = (ContentHash(), ContentHash())
        for part in ["ab", "c"] { one.update(part) }
        for part in ["a", "bc"] { two.update(part) }
        #expect(one != two)
        #expect(one.description.count == 32)
        #expect(ContentHash(of: [1, 2, 3]) == ContentHash(of: [1, 2, 3]))
    }

    @Test("Each flipped bit changes about half of the bits of the hash")
    func avalanche() {
        let bytes = Array("actor CartClient: Client { let scope: Int }".utf8)
        let hash = ContentHash(of: bytes).description
        for index in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[index / 8] ^= 1 << UInt8(index % 8)
            let other = ContentHash(of: flipped).description
            let same = zip(hash, other).count { $0 == $1 }
            #expect(same < 16, "bit \(index)")
        }
    }
}
