// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomStorage
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
        var saved = 0
        var interrupted = 0
        for _ in 0..<TestScale.count(1_000) {
            let child = try KilledProgram(program, [folder.path])
            // The start, or the moments of some saves.
            let lines = generator.index(below: 5)
            let pause = generator.index(below: lines == 0 ? 15_000 : 4_000)
            let known = await child.killed(afterLines: lines, microseconds: pause).last ?? saved
            #expect(known >= saved)
            let names = folder.names
            // One storage for each round: it keeps the folder from the next process.
            let storage = folder.storage()
            let archive = StorageArchive(storage)
            let found = try await archive.load()
            #expect(found.setAside.isEmpty)
            let generation = found.image.map { Int($0.savedAt) } ?? 0
            #expect(generation == known || generation == known + 1, "seen \(known), found \(generation)")
            if let image = found.image { #expect(image.contexts["Editor"]?.data == Self.draft(generation)) }
            try await archive.launched()
            await storage.terminate()
            saved = generation
            if names.contains(where: { $0.hasSuffix(".unfinished") }) { interrupted += 1 }
        }
        print("\(saved) saves, \(interrupted) kills within one")
        #expect(saved > 0)
    }

    @Test(
        "A second process gets an error that names the first, changes nothing, and has the folder when the first has ended"
    )
    func twoProcesses() async throws {
        let folder = try StateTestFolder()
        let first = try RunningProgram(try BuildFolder().url.appending(path: "restoration-probe").path, [folder.path])
        _ = try await first.firstLine("a generation") { $0 == "1" ? true : nil }
        let archive = StorageArchive(folder.storage())
        for use in [
            { _ = try await archive.load() }, { try await archive.discard() },
            { _ = try await archive.save(Self.image) },
        ] {
            let error = await #expect(throws: LifecycleError.self) { try await use() }
            #expect(error?.code == .archiveFailed && error?.message.contains(folder.path) == true)
            #if os(Linux)
            #expect(error?.message.contains("process \(first.processIdentifier)") == true, "\(error?.message ?? "")")
            #endif
        }
        // Without an error: this process has counted no launch.
        try await archive.launched()
        first.signal(SIGKILL)
        _ = await first.exitCode()
        let generation = first.output.split(separator: "\n").last.flatMap { Double($0) } ?? 0
        let found = try #require(try await archive.load().image)
        #expect(found.savedAt == generation || found.savedAt == generation + 1)
    }

    @Test(
        "On a full disk and in a folder for reading only, the error has the folder and the cause, and the image stays",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)")
    )
    func fullDisk() async throws {
        let folder = try StateTestFolder()
        let storage = folder.storage()
        try await StorageArchive(storage).save(Self.image)
        await storage.terminate()
        let program = try BuildFolder().url.appending(path: "restoration-probe").path
        let script = """
            mount -t tmpfs -o size=1m none /mnt; cp -r '\(folder.path)' /mnt/state; cat /dev/zero > /mnt/ballast 2> /dev/null
            '\(program)' /mnt/state | tail -1; '\(program)' /mnt/new | tail -1
            rm /mnt/ballast; mount -o remount,ro /mnt; '\(program)' /mnt/state | tail -1
            mount -o remount,rw /mnt; '\(program)' /mnt/state | head -1
            """
        let result = try await Command.run("/usr/bin/env", ["unshare", "-rm", "bash", "-c", script])
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 4, "\(result)")
        for (line, words) in zip(
            lines,
            [["/mnt/state", "No space left"], ["/mnt/new", "No space left"], ["/mnt/state", "Read-only"]]
        ) {
            #expect(line.hasPrefix("AXIOM_LIFECYCLE_005") && words.allSatisfy { line.contains($0) }, "\(line)")
        }
        #expect(lines[3] == "7", "\(lines)")
    }

    private static let image = AppImage(appVersion: Version(0, 0, 0), savedAt: 7)

    private static func draft(_ generation: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: generation), count: 2_000 + generation % 7 * 3_000)
    }
}
