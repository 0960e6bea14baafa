// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomNavigation
@testable import AxiomStorage

/// A storage in memory that waits or fails as its test says.
private final class PlannedStorage: KeyValueStorage {
    let memory = MemoryStorage()
    /// Waited for before the next read.
    let beforeRead = Lock<(@Sendable () async -> Void)?>(nil)
    /// Thrown after the next change, which has happened.
    let afterChange = Lock<StorageError?>(nil)

    func keys(prefix: String) async -> [StorageKey] { await memory.keys(prefix: prefix) }

    func data(_ key: StorageKey) async -> Data? {
        await beforeRead.withLock { $0.take() }?()
        return await memory.data(key)
    }

    func transaction(_ changes: [StorageChange]) async throws {
        await memory.transaction(changes)
        if let error = afterChange.withLock({ $0.take() }) { throw error }
    }
}

@Suite("An archive whose storage fails or is slow", .timeLimit(.minutes(10)))
struct ArchiveFaultTests {
    private let folder: StateTestFolder
    private let storage = PlannedStorage()
    private let archive: StorageArchive

    init() throws {
        folder = try StateTestFolder()
        archive = StorageArchive(storage, appVersion: Version(1, 0, 0))
    }

    private func image(_ generation: Int) -> AppImage { StorageArchive.image(generation) }

    @Test("A launch that became active before its load ended leaves no count (RES-03)")
    func lateLoad() async throws {
        try await archive.save(image(1))
        let (began, mayEnd) = (OneShot<Void>(), OneShot<Void>())
        storage.beforeRead.withLock {
            $0 = {
                began.settle(())
                await mayEnd.value
            }
        }
        async let loaded = archive.load()
        await began.value
        async let launched: Void = archive.launched()
        for _ in 0..<1_000 { await Task.yield() }
        mayEnd.settle(())
        #expect(try await loaded.image == image(1))
        try await launched
        #expect(storage.memory.contents.keys.sorted() == ["state/image-1"])
    }

    @Test("A change that threw although it was stored is not made again: the image before stays, one launch is counted")
    func storedAndThrown() async throws {
        for generation in 1...2 { try await archive.save(image(generation)) }
        storage.afterChange.withLock { $0 = .failed("x", cause: "y") }
        let error = await #expect(throws: LifecycleError.self) { try await archive.save(image(3)) }
        #expect(error?.code == .archiveFailed)
        #expect(storage.memory.contents.keys.sorted() == ["state/image-1", "state/image-2", "state/image-3"])
        storage.afterChange.withLock { $0 = .failed("x", cause: "y") }
        await #expect(throws: LifecycleError.self) { try await archive.load() }
        #expect(await storage.memory.data("state/launches") == Data(#"{"count":1,"image":3}"#.utf8))
    }

    @Test("Without space for a journal all images are discarded, and one that cannot be removed keeps no other")
    func discard() async throws {
        for hasFolder in [false, true] {
            if hasFolder { try makeFolder("state%2fimage-1.value") }
            let files = folder.storage()
            let archive = StorageArchive(files)
            for generation in 2...3 { try await archive.save(image(generation)) }
            // No journal can be written, as on a full disk.
            try makeFolder("..journal.unfinished")
            if hasFolder {
                await #expect(throws: LifecycleError.self) { try await archive.discard() }
            } else {
                try await archive.discard()
            }
            try FileManager.default.removeItem(atPath: "\(folder.path)/..journal.unfinished")
            #expect(folder.names == (hasFolder ? [".lock", "state%2fimage-1.value"] : [".lock"]))
            await files.terminate()
        }
    }

    @Test("An image set aside that cannot be removed does not keep the others above the limit (RES-03)")
    func superfluous() async throws {
        try makeFolder("state%2faside%2f2001-01-01t00-00-03z-damaged.value")
        let files = folder.storage()
        for second in 1...2 {
            try await files.save(1, StorageKey("state/aside/2001-01-01t00-00-0\(second)z-damaged"))
        }
        try await files.save(1, "state/image-1")
        let archive = StorageArchive(files, maximumSetAside: 1)
        let new = try await archive.load().setAside
        #expect(await archive.setAside.map(\.key) == new.map(\.key) + ["state/aside/2001-01-01t00-00-03z-damaged"])
        await files.terminate()
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
    }
}
