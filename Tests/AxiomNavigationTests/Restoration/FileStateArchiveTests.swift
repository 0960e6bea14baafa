// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
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
}

@Suite("The archive in files")
struct FileStateArchiveTests {
    private let folder: StateTestFolder

    init() throws { folder = try StateTestFolder() }

    private func image(_ generation: Int, version: Version = Version(1, 0, 0)) -> AppImage {
        let context = ContextImage(version: 1, data: Data("{\"draft\":\"\(generation)\"}".utf8))
        let stack = [Data("\"home\"".utf8)]
        return AppImage(
            appVersion: version,
            savedAt: Double(generation),
            stacks: ["shop": stack],
            contexts: ["Editor": context]
        )
    }

    private func archive(_ version: Version = Version(1, 0, 0), maximumBytes: Int = 10_000) -> FileStateArchive {
        FileStateArchive(folder.path, appVersion: version, maximumBytes: maximumBytes)
    }

    @Test("The checksum has the value of the standard's example")
    func checksum() {
        #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum([]) == 0)
    }

    @Test("What was saved last is loaded, also by another archive (RES-01)")
    func roundTrip() async throws {
        let archive = archive()
        #expect(try await archive.load() == LoadedState(image: nil))
        for generation in 1...5 {
            try await archive.save(image(generation))
            #expect(try await self.archive().load() == LoadedState(image: image(generation)))
            try await archive.launched()
        }
        #expect(folder.names == ["state-a.image", "state-b.image"])
        try await archive.discard()
        #expect(try await archive.load().image == nil && folder.names.isEmpty)
    }

    @Test("Any changed or missing byte of the newer generation leads to the older one (RES-03)")
    func damage() async throws {
        try await archive().save(image(1))
        try await archive().save(image(2))
        let whole = try folder.bytes("state-b.image")
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << UInt8(generator.index(below: 8))
            try await expectOlder(than: index % 2 == 0 ? bytes : Array(whole[..<index]))
        }
        try await expectOlder(than: whole + [10])
        #expect(await archive().setAside.count == 10, "the latest ten are kept")
    }

    private func expectOlder(than bytes: [UInt8]) async throws {
        try folder.write(bytes, "state-b.image")
        let found = try await archive().load()
        #expect(found.image == image(1) && found.setAside.count == 1)
        // A changed digit of the format looks like a newer one.
        #expect(found.setAside[0].reason == .damaged || found.setAside[0].reason == .newer)
        try await archive().launched()
    }

    @Test("Random bytes never trap, and never are an image (RES-03)")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let whole = try StateFile.encode(image(1), sequence: 3)
        for _ in 0..<LifeScale.count(100_000) {
            var bytes = whole
            for _ in 0...generator.index(below: 4) {
                let index = generator.index(below: bytes.count)
                bytes[index] = UInt8(generator.index(below: 256))
            }
            if generator.index(below: 2) == 0 { bytes = Array(bytes.prefix(generator.index(below: bytes.count))) }
            _ = StateFile.sequence(bytes)
            if bytes != whole, (try? StateFile(bytes, appVersion: Version(1, 0, 0))) != nil {
                Issue.record("\(bytes) was read")
            }
        }
    }

    @Test("An image of a newer application or format is set aside, and kept (RES-03)")
    func newer() async throws {
        try await archive().save(image(1))
        try await archive(Version(2, 0, 0)).save(image(2, version: Version(2, 0, 0)))
        let found = try await archive().load()
        #expect(found.image == image(1) && found.setAside.map(\.reason) == [.newer])
        let kept = try #require(found.setAside.first?.path)
        let bytes = Array(try Data(contentsOf: URL(filePath: kept)))
        #expect(try StateFile(bytes, appVersion: Version(2, 0, 0)).image.savedAt == 2)
        try folder.write(Array("axiom-state 2 00000000\n".utf8), "state-b.image")
        #expect(try await archive().load().setAside.map(\.reason) == [.newer])
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
                == "Keep less in the images of contexts, or allow more: FileStateArchive(maximumBytes:)."
        )
        #expect(try await archive().load().image == image(1))
        let small = try await archive(maximumBytes: 100).load()
        #expect(small.image == nil && small.setAside.map(\.reason) == [.unreadable])
    }

    @Test("An image with which two launches did not become active is set aside, then the older one (RES-03)")
    func launches() async throws {
        try await archive().save(image(1))
        try await archive().save(image(2))
        for generation in [2, 2, 1, 1] { #expect(try await archive().load().image == image(generation)) }
        let last = try await archive().load()
        #expect(last.image == nil && last.setAside.map(\.reason) == [.launchFailed])
        #expect(await archive().setAside.map(\.reason) == [.launchFailed, .launchFailed])
        try await archive().save(image(3))
        for _ in 0..<5 {
            #expect(try await archive().load().image == image(3))
            try await archive().launched()
        }
    }

    @Test("A damaged counter counts as none, and one that cannot be written keeps the image from being used (RES-03)")
    func counter() async throws {
        try await archive().save(image(1))
        for text in ["", "1", "1 x", "1 -5", "99999999999999999999 2", "7 2", "\u{0}\u{0}"] {
            try folder.write(Array(text.utf8), "launches")
            #expect(try await archive().load().image == image(1))
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/launches")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/launches", withIntermediateDirectories: true)
        let error = try await #require(throws: LifecycleError.self) { try await archive().load() }
        #expect(error.code == .archiveFailed)
    }

    @Test("One flipped byte of the counter never sets an image aside")
    func damagedCounter() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        try await archive().save(image(1))
        for _ in 0..<LifeScale.count(1_000) {
            try await archive().launched()
            _ = try await archive().load()
            var bytes = try folder.bytes("launches")
            bytes[generator.index(below: bytes.count)] ^= 1 << UInt8(generator.index(below: 8))
            try folder.write(bytes, "launches")
            #expect(try await archive().load() == LoadedState(image: image(1)), "seed \(seed), \(bytes)")
        }
    }

    @Test("A process without free descriptors keeps its images: the load throws")
    func noDescriptors() async throws {
        try await archive().save(image(1))
        // In a process of its own, because all threads share the limit.
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let archive = FileStateArchive(path, appVersion: Version(1, 0, 0))
            // Opens what the process needs for its threads.
            try? await archive.launched()
            let lowest = open("/dev/null", O_RDONLY)
            Self.limitDescriptors(to: lowest)
            let error = await #expect(throws: LifecycleError.self) { try await archive.load() }
            Self.limitDescriptors(to: 1_000)
            #expect(error?.code == .archiveFailed && error?.message.contains("Too many open files") == true)
            #expect((try? await archive.load())?.image?.savedAt == 1)
        }
    }

    @Test("A process without free descriptors does not take its images for missing: a save has no number then")
    func noDescriptorsAtSave() async throws {
        for generation in 1...2 { try await archive().save(image(generation)) }
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let slot = "\(path)/state-b.image"
            let (known, missing) = (try StateFolder.sequence(at: slot), try StateFolder.sequence(at: slot + ".missing"))
            #expect(known == 2 && missing == nil)
            let lowest = open("/dev/null", O_RDONLY)
            Self.limitDescriptors(to: lowest)
            let error = #expect(throws: FileError.self) { _ = try StateFolder.sequence(at: slot) }
            Self.limitDescriptors(to: 1_000)
            #expect(error?.code == EMFILE)
        }
    }

    private static func limitDescriptors(to count: Int32) {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: 1_000)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_NOFILE, &limit)
        #endif
    }

    @Test("A name says when and why, and two of one second do not collide (RES-03)")
    func names() async throws {
        let time = ManualTime()
        for _ in 0..<2 {
            try folder.write([1, 2, 3], "state-a.image")
            let archive = FileStateArchive(folder.path, clock: .manual(time))
            #expect(try await archive.load().setAside.count == 1)
        }
        let found = await archive().setAside
        #expect(found.count == 2 && Set(found.map(\.path)).count == 2)
        #expect(found.allSatisfy { $0.path.contains("Z.damaged.") && $0.time == time.secondsSinceEpoch.rounded(.down) })
    }

    @Test("A folder that cannot be made is an error (RES-03)")
    func folderFails() async throws {
        try folder.write([], "file")
        let archive = FileStateArchive("\(folder.path)/file/state")
        let error = try await #require(throws: LifecycleError.self) { try await archive.save(image(1)) }
        #expect(error.code == .archiveFailed && error.suggestedAction == .retry)
        #expect(error.message.contains("\(folder.path)/file/state") && error.message.contains("Not a directory"))
        #expect(!error.message.contains("NSPOSIXErrorDomain"))
    }

    @Test("Limits of any size are no trap: at least one image that was set aside is kept (RES-03)")
    func oddLimits() async throws {
        for limit in [Int.min, -1, 0, 1] {
            try folder.write([1, 2, 3], "state-a.image")
            let archive = FileStateArchive(folder.path, maximumBytes: .max, maximumSetAside: limit)
            #expect(try await archive.load().setAside.count == 1)
            #expect(await archive.setAside.count == 1)
        }
        let small = FileStateArchive(folder.path, maximumBytes: .min)
        let error = try await #require(throws: LifecycleError.self) { try await small.save(image(1)) }
        #expect(error.code == .imageTooLarge)
    }
}
