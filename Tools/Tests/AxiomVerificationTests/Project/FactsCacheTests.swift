// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomVerification

@Suite("The cache of facts")
struct FactsCacheTests {
    private let key = ContentHash(of: [1])

    /// Facts that a number tells from others.
    private func facts(_ number: Int) -> FileFacts {
        var facts = FileFacts(path: "a.swift", module: "")
        facts.byteCount = number
        return facts
    }

    private func text(_ contents: String, path: String = "a.swift") -> SourceText {
        SourceText(path: path, bytes: Array(contents.utf8))
    }

    @Test("Facts are made once for a path and its contents")
    func hit() throws {
        let folder = try SampleFolder()
        var made = 0
        func kept(_ text: SourceText) throws -> FileFacts {
            let cache = try #require(FactsCache(root: folder.path("cache"), key: key))
            return cache.facts(of: text) {
                made += 1
                return facts(made)
            }
        }
        #expect(try kept(text("one")) == facts(1))
        #expect(try kept(text("one")) == facts(1))
        #expect(try kept(text("two")) == facts(2))
        #expect(try kept(text("one", path: "b.swift")) == facts(3))
        #expect(made == 3)
    }

    @Test("A broken file is ignored and written again", arguments: ["", "AVF1", "other bytes that are long enough"])
    func broken(contents: String) throws {
        let folder = try SampleFolder()
        let cache = try #require(FactsCache(root: folder.root, key: key))
        #expect(cache.facts(of: text("x")) { facts(1) } == facts(1))
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).first)
        let whole = try Data(contentsOf: URL(filePath: folder.path("\(key)/\(name)")))
        try folder.write(contents, to: "\(key)/\(name)")
        #expect(cache.facts(of: text("x")) { facts(2) } == facts(2))
        #expect(cache.facts(of: text("x")) { facts(3) } == facts(2))
        // A flipped bit anywhere.
        for index in whole.indices {
            var flipped = whole
            flipped[index] ^= 0x10
            try flipped.write(to: URL(filePath: folder.path("\(key)/\(name)")))
            #expect(cache.facts(of: text("x")) { facts(4) } == facts(4), "byte \(index)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 1)
    }

    @Test("A value of another type is not read")
    func otherType() throws {
        let folder = try SampleFolder()
        let cache = try #require(FactsCache(root: folder.root, key: key))
        #expect(cache.facts(of: text("x")) { facts(1) } == facts(1))
        let verdict = KeptVerdict(SampleVerdict.full)
        #expect(cache.value(for: FactsCache.hash(of: text("x"))) { verdict } == verdict)
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
        for number in 0..<450 { _ = cache.facts(of: text("\(number)")) { facts(number) } }
        cache.prune(keeping: [text("7")], isWhole: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 450)
        cache.prune(keeping: [text("7")], isWhole: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("\(key)")).count == 1)
        #expect(cache.facts(of: text("7")) { facts(-1) } == facts(7))
    }

    @Test("A cache that cannot be made is none")
    func unwritable() throws {
        let folder = try SampleFolder(["file": ""])
        #expect(FactsCache(root: folder.path("file/cache"), key: key) == nil)
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

    private static var verdicts: [KeptVerdict] {
        [SampleVerdict.full, SampleVerdict.hostile].map { verdict in
            var verdict = verdict
            verdict.metrics = [.init(path: "🍵", componentCount: .max, dependencyDepth: 0, compliance: 2 / 3)]
            return KeptVerdict(verdict)
        }
    }

    @Test("Verdicts are read as they were written, and have what a report shows")
    func verdict() {
        for verdict in Self.verdicts + [KeptVerdict(ProjectVerdict())] {
            #expect(Packing.value(KeptVerdict.self, of: Packing.bytes(of: verdict), from: 0) == verdict)
        }
        var full = SampleVerdict.full
        // The texts and the baseline are not kept.
        (full.files, full.staleEntries) = ([:], [])
        let kept = KeptVerdict(full).verdict(rules: full.rules)
        #expect("\(kept.findings)" == "\(full.findings)" && kept.accepted == full.accepted)
        #expect(kept.unreadableFiles == full.unreadableFiles && kept.fileCount == full.fileCount)
    }

    @Test("Damaged bytes are no facts or other ones, and never trap")
    func damaged() {
        var random = SplitMix64(seed: TestSeed.drawn())
        let packed =
            all.map { Packing.bytes(of: $0) }.filter { $0.count < 20_000 }
            + Array(repeating: Self.verdicts.map { Packing.bytes(of: $0) }, count: 50).flatMap(\.self)
        for number in 0..<3_000 {
            var bytes = packed[number % packed.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
            _ = Packing.value(FileFacts.self, of: bytes, from: 0)
            _ = Packing.value(KeptVerdict.self, of: bytes, from: 0)
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
