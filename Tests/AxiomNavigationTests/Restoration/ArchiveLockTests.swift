// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import AxiomNavigation

@Suite("The lock of an archive's folder", .timeLimit(.minutes(5)))
struct ArchiveLockTests {
    @Test("A folder that replaced a renamed one is locked too")
    func replacedFolder() throws {
        let folder = try StateTestFolder()
        let (path, old) = ("\(folder.path)/state", "\(folder.path)/old")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let lock = ArchiveLock()
        try lock.hold(path)
        try FileManager.default.moveItem(atPath: path, toPath: old)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try lock.hold(path)
        #expect(try !Self.isFree(path), "another process would have the new folder")
        #expect(try Self.isFree(old), "the old folder is free")
    }

    @Test("Archives of this process share a folder, also under two names, until the last one ends")
    func shared() throws {
        let folder = try StateTestFolder()
        var locks = [ArchiveLock(), ArchiveLock()]
        try locks[0].hold(folder.path)
        try locks[1].hold(folder.path + "/.")
        for isFree in [false, true] {
            locks.removeFirst()
            #expect(try Self.isFree(folder.path) == isFree)
        }
    }

    private static func isFree(_ path: String) throws -> Bool { try FileLock(folder: path).tryLock(.exclusive) }

    #if os(Linux)
    @Test("An archive that waits for another process does not hold up the archives of other folders")
    func otherFolder() async throws {
        let (taken, free) = (try StateTestFolder(), try StateTestFolder())
        let other = try FileLock(folder: taken.path)
        try other.lock(.exclusive, milliseconds: 0)
        let waiting = Task.detached { [path = taken.path as String] in
            // Blocks its thread until the lock is free, for the time of the test at most.
            try ArchiveLock().hold(path, milliseconds: 240_000)
        }
        while Self.openings(of: taken.path) < 2 { await Task.yield() }
        try ArchiveLock().hold(free.path)
        other.unlock()
        try await waiting.value
    }

    /// How many descriptors of this process a folder has.
    private static func openings(of path: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }
    #endif
}
