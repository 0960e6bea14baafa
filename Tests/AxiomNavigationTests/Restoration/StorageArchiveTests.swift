// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomNavigation

/// A folder that is removed with the test.
final class StateTestFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "axiom-state-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }
    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(filePath: "\(path)/\(name)")) }

    /// A storage of files in the folder. Only one can have it open.
    func storage() -> FileStorage {
        FileStorage(folder: path, options: StorageOptions(lockTimeout: .seconds(1), onSetAside: { _ in }))
    }
}

extension StateArchive {
    /// An image of a generation, in an archive with this version of the application.
    static func image(_ generation: Int, version: Version = Version(1, 0, 0)) -> AppImage {
        let context = ContextImage(version: 1, data: Data("{\"draft\":\"\(generation)\"}".utf8))
        let stack = [Data("\"home\"".utf8)]
        return AppImage(
            appVersion: version,
            savedAt: Double(generation),
            stacks: ["shop": stack],
            contexts: ["Editor": context]
        )
    }
}

@Suite("The archive in a storage")
struct StorageArchiveTests {
    private let folder: StateTestFolder
    private let storage = MemoryStorage()

    init() throws { folder = try StateTestFolder() }

    private func image(_ generation: Int, version: Version = Version(1, 0, 0)) -> AppImage {
        StorageArchive.image(generation, version: version)
    }

    private func archive(_ version: Version = Version(1, 0, 0), maximumBytes: Int = 10_000) -> StorageArchive {
        StorageArchive(storage, appVersion: version, maximumBytes: maximumBytes)
    }

    /// Loads with a new archive, and says whether the launch became active.
    private func load(becomesActive: Bool = true) async throws -> LoadedState {
        let archive = archive()
        let state = try await archive.load()
        if becomesActive { try await archive.launched() }
        return state
    }

    /// The bytes of an image.
    private func bytes(_ generation: Int) throws -> Data {
        try #require(storage.contents[StorageKey("state/image-\(generation)")])
    }

    @Test("What was saved last is loaded, also by another archive, and two generations are kept (RES-01)")
    func roundTrip() async throws {
        let archive = archive()
        #expect(try await archive.load() == LoadedState(image: nil))
        for generation in 1...5 {
            try await archive.save(image(generation))
            #expect(try await load() == LoadedState(image: image(generation)))
        }
        #expect(storage.contents.keys.sorted() == ["state/image-4", "state/image-5"])
        let other = StorageArchive(storage, name: "other", appVersion: Version(1, 0, 0))
        #expect(try await other.load().image == nil)
        try await other.save(image(9))
        try await archive.discard()
        #expect(try await archive.load().image == nil && storage.contents.count == 1)
        #expect(try await other.load().image == image(9))
    }

    @Test("A database keeps the images too (RES-01)")
    func database() async throws {
        let database = SQLiteStorage(path: "\(folder.path)/state.db")
        let archive = StorageArchive(database, appVersion: Version(1, 0, 0))
        for generation in 1...3 { try await archive.save(image(generation)) }
        for generation in [3, 3, 2] { #expect(try await archive.load().image == image(generation)) }
        #expect(await archive.setAside.map(\.reason) == [.launchFailed])
        await database.terminate()
    }

    @Test("Any changed or missing byte of the file of the newer generation leads to the older one (RES-03)")
    func damage() async throws {
        var files = folder.storage()
        for generation in 1...2 { try await StorageArchive(files).save(image(generation, version: Version(0, 0, 0))) }
        await files.terminate()
        let name = "state%2fimage-2.value"
        let whole = try folder.bytes(name)
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << UInt8(generator.index(below: 8))
            try folder.write(index % 2 == 0 ? bytes : Array(whole[..<index]), name)
            files = folder.storage()
            let archive = StorageArchive(files)
            let found = try await archive.load()
            #expect(found.image?.savedAt == 1 && found.setAside.map(\.reason) == [.damaged], "byte \(index)")
            try await archive.launched()
            #expect(await archive.setAside.count == min(10, index + 1), "the latest ten are kept")
            await files.terminate()
        }
    }

    @Test("Random bytes never trap, and are an image only if they are JSON of one (RES-03)")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let whole = Array(try StorageArchive.encode(image(1)))
        for _ in 0..<TestScale.count(100_000) {
            var bytes = whole
            for _ in 0...generator.index(below: 4) {
                bytes[generator.index(below: bytes.count)] = UInt8(generator.index(below: 256))
            }
            let isCut = generator.index(below: 2) == 0
            if isCut { bytes = Array(bytes.prefix(generator.index(below: bytes.count))) }
            if case .usable = StorageArchive.decode(Data(bytes), upTo: Version(1, 0, 0)), isCut {
                Issue.record("\(bytes) was read")
            }
        }
    }

    @Test("An image of a newer application or format is set aside, and kept (RES-03)")
    func newer() async throws {
        try await archive().save(image(1))
        try await archive(Version(2, 0, 0)).save(image(2, version: Version(2, 0, 0)))
        let new = try bytes(2)
        let found = try await load()
        #expect(found.image == image(1) && found.setAside.map(\.reason) == [.newer])
        let kept = try #require(found.setAside.first)
        #expect(storage.contents[kept.key] == new)
        await storage.transaction([.put("state/image-2", Data(#"{"format":2,"appVersion":"1.0.0"}"#.utf8))])
        #expect(try await load().setAside.map(\.reason) == [.newer])
        #expect(await archive().setAside.count == 2)
    }

    @Test("An image above the limit is not saved, and the error names the option (RES-03)")
    func limit() async throws {
        try await archive().save(image(1))
        let error = try await #require(throws: LifecycleError.self) {
            try await archive(maximumBytes: 100).save(image(2))
        }
        #expect(error.code == .imageTooLarge && error.message.contains("maximumBytes"))
        #expect(
            error.recoverySuggestion as String
                == "Keep less in the images of contexts, or allow more: StorageArchive(maximumBytes:)."
        )
        #expect(try await load().image == image(1))
        let small = try await archive(maximumBytes: 100).load()
        #expect(small.image == nil && small.setAside.map(\.reason) == [.unreadable])
    }

    @Test("An image with which two launches did not become active is set aside, then the older one (RES-03)")
    func launches() async throws {
        for generation in 1...2 { try await archive().save(image(generation)) }
        for generation in [2, 2, 1, 1] {
            #expect(try await load(becomesActive: false).image == image(generation))
        }
        let last = try await load()
        #expect(last.image == nil && last.setAside.map(\.reason) == [.launchFailed])
        #expect(await archive().setAside.map(\.reason) == [.launchFailed, .launchFailed])
        // The number of this one was that of the first, with which two launches failed.
        try await archive().save(image(3))
        for _ in 0..<5 { #expect(try await load().image == image(3)) }
    }

    @Test("A damaged counter counts as none, and one that cannot be written keeps the image from being used (RES-03)")
    func counter() async throws {
        try await archive().save(image(1))
        for text in ["", "1", #"{"image":1}"#, #"{"image":1,"count":-5}"#, #"{"image":7,"count":2}"#, "\u{0}\u{0}"] {
            await storage.transaction([.put("state/launches", Data(text.utf8))])
            #expect(try await load().image == image(1))
        }
        let files = folder.storage()
        try await StorageArchive(files).save(image(1, version: Version(0, 0, 0)))
        let counter = "\(folder.path)/state%2flaunches.value"
        try FileManager.default.createDirectory(atPath: counter, withIntermediateDirectories: true)
        let error = try await #require(throws: LifecycleError.self) { try await StorageArchive(files).load() }
        #expect(error.code == .archiveFailed)
        await files.terminate()
    }

    @Test("One flipped byte of the counter never sets an image aside")
    func damagedCounter() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        var files = folder.storage()
        try await StorageArchive(files, appVersion: Version(1, 0, 0)).save(image(1))
        for _ in 0..<TestScale.count(1_000) {
            let archive = StorageArchive(files, appVersion: Version(1, 0, 0))
            _ = try await archive.load()
            try await archive.launched()
            _ = try await archive.load()
            await files.terminate()
            let name = "state%2flaunches.value"
            var bytes = try folder.bytes(name)
            bytes[generator.index(below: bytes.count)] ^= 1 << UInt8(generator.index(below: 8))
            try folder.write(bytes, name)
            files = folder.storage()
            let found = try await StorageArchive(files, appVersion: Version(1, 0, 0)).load()
            #expect(found == LoadedState(image: image(1)), "seed \(seed), \(bytes)")
        }
        await files.terminate()
    }

    @Test("An image whose file cannot be read is set aside, and the older one is used (RES-03)")
    func unreadable() async throws {
        let files = folder.storage()
        let archive = StorageArchive(files, appVersion: Version(1, 0, 0))
        for generation in 1...2 { try await archive.save(image(generation)) }
        let path = "\(folder.path)/state%2fimage-2.value"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "state%2fimage-2.value")
        let found = try await archive.load()
        #expect(found.image == image(1) && found.setAside.map(\.reason) == [.unreadable])
        await files.terminate()
    }

    @Test("A name says when and why, and two of one second do not collide (RES-03)")
    func names() async throws {
        let time = ManualTime()
        for _ in 0..<2 {
            await storage.transaction([.put("state/image-1", Data([1, 2, 3]))])
            let archive = StorageArchive(storage, clock: .manual(time))
            #expect(try await archive.load().setAside.count == 1)
        }
        let found = await archive().setAside
        #expect(found.count == 2 && Set(found.map(\.key)).count == 2)
        #expect(found.allSatisfy { $0.key.name.contains("z-damaged") })
        #expect(found.allSatisfy { $0.time == time.secondsSinceEpoch.rounded(.down) })
    }

    @Test("A folder that cannot be made is an error (RES-03)")
    func folderFails() async throws {
        try folder.write([], "file")
        let archive = StorageArchive(FileStorage(folder: "\(folder.path)/file/state"))
        let error = try await #require(throws: LifecycleError.self) { try await archive.save(image(1)) }
        #expect(error.code == .archiveFailed && error.suggestedAction == .retry)
        #expect(error.message.contains("\(folder.path)/file/state") && error.message.contains("Not a directory"))
        #expect(!error.message.contains("NSPOSIXErrorDomain"))
    }

    @Test("Limits of any size are no trap: at least one image that was set aside is kept (RES-03)")
    func oddLimits() async throws {
        for limit in [Int.min, -1, 0, 1] {
            await storage.transaction([.put("state/image-1", Data([1, 2, 3]))])
            let archive = StorageArchive(storage, maximumBytes: .max, maximumSetAside: limit)
            #expect(try await archive.load().setAside.count == 1)
            #expect(await archive.setAside.count == 1)
        }
        let error = try await #require(throws: LifecycleError.self) {
            try await StorageArchive(storage, maximumBytes: .min).save(image(1))
        }
        #expect(error.code == .imageTooLarge)
    }

    @Test("Foreign keys of the storage are neither read nor removed, and the next number always exists")
    func foreignKeys() async throws {
        let foreign: [StorageKey] = [
            "state", "state/image-", "state/image-01", "state/image-x", "state/image-9223372036854775807",
            "state/aside/x",
        ]
        await storage.transaction(foreign.map { .put($0, Data([7])) })
        for generation in 1...4 { try await archive().save(image(generation)) }
        #expect(try await load().image == image(4))
        #expect(await archive().setAside.isEmpty)
        for key in foreign { #expect(await storage.data(key) == Data([7]), "\(key)") }
    }

    @Test("Calls that overlap take turns: the image that was saved last is loaded")
    func turns() async throws {
        let archive = archive()
        await withThrowingTaskGroup { group in
            for generation in 1...20 { group.addTask { try await archive.save(image(generation)) } }
        }
        let numbers = storage.contents.keys.sorted()
        #expect(numbers == ["state/image-19", "state/image-20"])
    }
}
