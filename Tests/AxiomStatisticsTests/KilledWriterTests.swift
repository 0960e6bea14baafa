// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@Suite("A writer that is killed")
struct KilledWriterTests {
    @Test("At 200 random moments leaves the old file or the new one, whole, and at most one unfinished beside it")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("base.json")
        let program = try BuildFolder().url.appending(path: "profile-writer").path
        var generator = SeededGenerator(seed: TestSeed.drawn())
        var generation = 0
        var interrupted = 0
        for _ in 0..<200 {
            let writer = try RunningProgram(program, [path, "\(generation)"])
            // Some saves, and then a moment within the next one or two.
            for _ in 0...generator.index(below: 3) { _ = try await writer.firstLine("a generation") { Int($0) } }
            try await Task.sleep(for: .microseconds(generator.index(below: 8_000)))
            writer.signal(SIGKILL)
            _ = await writer.exitCode()
            // What it wrote last may still be in the pipe.
            await #expect(throws: RunningProgram.Ended.self) {
                try await writer.firstLine("its end") { _ in Int?.none }
            }

            let file = try BaselineFile.load(from: path)
            let found = try #require(Int(file.name))
            #expect(file.benchmarks[0].runs[0].samples == ["generation": .init(repeating: Double(found), count: 200)])
            let printed = try #require(writer.output.split(separator: "\n").compactMap { Int($0) }.last)
            // What was said to be saved has to be there, or what was being saved.
            #expect(found == printed || found == printed + 1)
            generation = found
            let names = try folder.names
            #expect(names == ["base.json"] || names == [".base.json.unfinished", "base.json"])
            if names.count > 1 { interrupted += 1 }
        }
        #expect(interrupted > 0, "no kill came between beginning and end of a save")
        try BaselineFile().save(to: path)
        #expect(try folder.names == ["base.json"])
    }
}
