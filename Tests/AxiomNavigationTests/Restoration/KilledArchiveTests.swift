// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Foundation
import Testing

@Suite("A process that is killed while it saves its state")
struct KilledArchiveTests {
    @Test(
        "A whole image is found after each kill: the last one that was saved, or the next (RES-03)",
        .timeLimit(.minutes(30))
    )
    func killed() async throws {
        let folder = try StateTestFolder()
        let program = try BuildFolder().url.appending(path: "restoration-probe").path
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let archive = FileStateArchive(folder.path)
        var saved = 0
        var interrupted = 0
        for _ in 0..<LifeScale.count(1_000) {
            let child = try KilledProgram(program, [folder.path])
            // The start, or the moments of some saves.
            let lines = generator.index(below: 5)
            let pause = generator.index(below: lines == 0 ? 15_000 : 4_000)
            let known = await child.killed(afterLines: lines, microseconds: pause).last ?? saved
            #expect(known >= saved)
            let found = try await archive.load()
            #expect(found.setAside.isEmpty)
            let generation = found.image.map { Int($0.savedAt) } ?? 0
            #expect(generation == known || generation == known + 1, "seen \(known), found \(generation)")
            if let image = found.image { #expect(image.contexts["Editor"]?.data == Self.draft(generation)) }
            try await archive.launched()
            saved = generation
            if folder.names.contains(where: { $0.hasSuffix(".unfinished") }) { interrupted += 1 }
        }
        print("\(saved) saves, \(interrupted) kills within one")
        #expect(saved > 0)
    }

    private static func draft(_ generation: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: generation), count: 2_000 + generation % 7 * 3_000)
    }
}
