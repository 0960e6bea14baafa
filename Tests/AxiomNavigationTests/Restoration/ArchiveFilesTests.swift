// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomNavigation

@Suite("The files of an archive", .timeLimit(.minutes(10)))
struct ArchiveFilesTests {
    private let folder: StateTestFolder

    init() throws { folder = try StateTestFolder() }

    private func image(_ generation: Int) -> AppImage {
        StorageArchive.image(generation, version: Version(0, 0, 0))
    }

    @Test("A process without free descriptors keeps its images: the load and the save throw")
    func noDescriptors() async throws {
        let files = folder.storage()
        for generation in 1...2 { try await StorageArchive(files).save(image(generation)) }
        await files.terminate()
        // In a process of its own, because all threads share the limit.
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            for isOpen in [false, true] {
                let files = FileStorage(folder: path)
                let archive = StorageArchive(files)
                // Opens what the process needs for its threads.
                await _ = StorageArchive(FileStorage(folder: path + "-other")).setAside
                if isOpen { _ = try await files.keys(prefix: "") }
                let lowest = open("/dev/null", O_RDONLY)
                Self.limitDescriptors(to: lowest)
                let errors = [
                    await #expect(throws: LifecycleError.self) { try await archive.load() },
                    await #expect(throws: LifecycleError.self) {
                        try await archive.save(AppImage(appVersion: Version(0, 0, 0), savedAt: 9))
                    },
                ]
                Self.limitDescriptors(to: 1_000)
                close(lowest)
                for error in errors {
                    #expect(error?.code == .archiveFailed && error?.message.contains("Too many open files") == true)
                }
                let found = try await archive.load()
                #expect(found.image?.savedAt == 2 && found.setAside.isEmpty)
                try await archive.launched()
                await files.terminate()
            }
        }
        try? FileManager.default.removeItem(atPath: folder.path + "-other")
        #expect(folder.names == [".lock", "state%2fimage-1.value", "state%2fimage-2.value"])
    }

    private static func limitDescriptors(to count: Int32) {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: 1_000)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_NOFILE, &limit)
        #endif
    }

    @Test("A folder that is renamed, replaced or removed under a running process is noticed, and the image is saved")
    func replacedFolder() async throws {
        let (path, old) = ("\(folder.path)/state", "\(folder.path)/old")
        let files = FileManager.default
        let archive = StorageArchive(FileStorage(folder: path))
        try await archive.save(image(1))
        try files.moveItem(atPath: path, toPath: old)
        try await archive.save(image(2))
        #expect(try await archive.load().image == image(2))
        try files.removeItem(atPath: path)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try await archive.load() == LoadedState(image: nil))
        try await archive.save(image(3))
        #expect(try await archive.load().image == image(3))
        // Another storage has the new folder only after the archive, and the old one at once.
        let other = FileStorage(folder: path, options: StorageOptions(lockTimeout: .milliseconds(20)))
        let error = await #expect(throws: LifecycleError.self) { try await StorageArchive(other).load() }
        #expect(error?.code == .archiveFailed && error?.message.contains(path) == true)
        let former = FileStorage(folder: old, options: StorageOptions(lockTimeout: .milliseconds(20)))
        #expect(try await StorageArchive(former).load().image == image(1))
    }

    #if os(Linux)
    @Test("An archive that waits for another holder of its folder does not hold up the archives of other folders")
    func otherFolder() async throws {
        let holder = FileStorage(folder: folder.path)
        try await StorageArchive(holder).save(image(1))
        let waiting = FileStorage(folder: folder.path, options: StorageOptions(lockTimeout: .seconds(3_600)))
        async let waited = StorageArchive(waiting).load()
        // It has opened the lock, and waits for it.
        while openings(of: "\(folder.path)/.lock") < 2 { await Task.yield() }
        let other = try StateTestFolder()
        let storages = (0..<32).map { FileStorage(folder: "\(other.path)/\($0)") }
        for storage in storages { try await StorageArchive(storage).save(image(2)) }
        await holder.terminate()
        #expect(try await waited.image == image(1))
    }

    /// How many descriptors of this process a file has.
    private func openings(of path: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }
    #endif
}
