// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@Suite("A process that is killed while it changes a storage")
struct KilledStorageTests {
    @Test(
        "After each kill all keys are those of the last change that was stored, or of the next (PER-02)",
        .timeLimit(.minutes(60)),
        arguments: StorageKind.onDisk
    )
    func killed(kind: StorageKind) async throws {
        let folder = try StorageFolder()
        let program = try BuildFolder().url.appending(path: "storage-probe").path
        var generator = SeededGenerator(seed: TestSeed.drawn(for: "kills of \(kind)"))
        var stored = 0
        var (journals, unfinished) = (0, 0)
        for _ in 0..<TestScale.count(1_000) {
            let child = try KilledProgram(program, ["write", kind.rawValue, kind.path(folder)])
            // The start, or the moments of some changes.
            let lines = generator.index(below: 5)
            let pause = generator.index(below: lines == 0 ? 30_000 : 6_000)
            let known = await child.killed(afterLines: lines, microseconds: pause).last ?? stored
            #expect(known >= stored)
            let names = folder.names("storage")
            if names.contains(".journal") { journals += 1 }
            if names.contains(where: { $0.hasSuffix(".unfinished") }) { unfinished += 1 }
            let found = try await contents(kind, folder)
            let generation = [known, known + 1].first { Self.expected($0) == found }
            try #require(generation != nil, "seen \(known), found \(found.mapValues(\.count))")
            stored = generation ?? 0
        }
        print("\(kind): \(stored) changes, kills with a journal \(journals), with an unfinished file \(unfinished)")
        #expect(stored > 0)
    }

    private func contents(_ kind: StorageKind, _ folder: StorageFolder) async throws -> [StorageKey: Data] {
        let storage = kind.make(folder)
        var contents: [StorageKey: Data] = [:]
        for key in try await storage.keys(prefix: "") { contents[key] = try await storage.data(key) }
        #expect(await storage.setAside == nil)
        await storage.end()
        return contents
    }

    /// What the program has stored after a number of changes.
    private static func expected(_ generation: Int) -> [StorageKey: Data] {
        let single = generation - generation % 3
        let several = generation % 3 == 0 ? generation - 1 : generation
        var contents: [StorageKey: Data] = [:]
        if single > 0 { contents["single/generation"] = Data("\(single)".utf8) }
        guard several > 0 else { return contents }
        contents["generation"] = Data("\(several)".utf8)
        contents[StorageKey(String(repeating: "Long/", count: 60))] = bytes(several, 2_000 + several % 7 * 3_000)
        contents["constant"] = bytes(several, 100)
        if several % 2 == 1 { contents["sometimes"] = bytes(several, 5_000) }
        return contents
    }

    private static func bytes(_ generation: Int, _ count: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: generation), count: count)
    }
}
