// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Foundation

/// Keeps the state of an application in a storage: two generations, and what could not be used.
///
/// ```swift
/// let storage = FileStorage(folder: "/var/lib/shop/state", options: StorageOptions(lockTimeout: .seconds(1)))
/// let archive = StorageArchive(storage, appVersion: Version(1, 4, 0))
/// let lifecycle = try AppLifecycle(orchestrator, archive: archive)
/// ```
/// A save adds a generation and then removes the oldest, so a crash of the process or of the machine at any moment leaves
/// the previous image or the new one.
///
/// An image that is damaged, that a newer version wrote, or with which two launches did not become active is moved to
/// another key, which says when and why. The generation before it is used then. Its own launches are counted too, so an
/// image that ends the process cannot do so for ever.
///
/// A `FileStorage` belongs to one process: another one gets an error that names the first. Processes that share a database
/// would replace each other's images; give each archive a name of its own. The keys are `NAME/image-NUMBER`,
/// `NAME/launches` and `NAME/aside/TIME-REASON`.
public final class StorageArchive: StateArchive {
    /// The version of the application.
    public let appVersion: Version
    private let keys: ArchiveKeys
    private let storage: any KeyValueStorage
    private let maximumBytes: Int
    private let maximumSetAside: Int
    private let clock: TimeSource
    /// How many launches may begin with one image before one of them has to become active.
    private static let maximumLaunches = 2
    private let turn = Lock(Turn())

    private struct Turn {
        /// The end of the call before.
        var last: Task<Void, Never>?
        /// Whether this archive counted a launch.
        var hasCounted = false
    }

    /// Creates an archive. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - storage: Where the images are kept.
    ///   - name: What the keys of this archive begin with.
    ///   - appVersion: The version of the application. With the default, no image counts as newer.
    ///   - maximumBytes: The largest image that is saved or loaded: 15 MiB by default, which a storage takes with its default
    ///     limit.
    ///   - maximumSetAside: How many images are kept that could not be used: the latest 10 by default, at least 1.
    ///   - clock: The clock of the names of images that are set aside.
    public init(
        _ storage: any KeyValueStorage,
        name: String = "state",
        appVersion: Version = Version(0, 0, 0),
        maximumBytes: Int = 15 * 1_048_576,
        maximumSetAside: Int = 10,
        clock: TimeSource = .live
    ) {
        self.storage = storage
        keys = ArchiveKeys(name)
        self.appVersion = appVersion
        self.maximumBytes = maximumBytes
        self.maximumSetAside = max(1, maximumSetAside)
        self.clock = clock
    }

    /// Adds a generation and removes the oldest. If it throws, the generations stay.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/imageTooLarge`` or ``ErrorCode/archiveFailed``.
    @discardableResult
    public func save(_ image: AppImage) async throws -> Int {
        try await alone("saved") { [self] in
            let data = try Self.encode(image)
            guard data.count <= maximumBytes else { throw LifecycleError.tooLarge(data.count, limit: maximumBytes) }
            let numbers = try await numbers()
            // Numbers begin again when no image is left: no launch began with this one.
            let image = keys.image((numbers.last ?? 0) + 1)
            try await storage.transaction([.put(image, data), .remove(keys.launches)])
            // The image is saved. What cannot be removed now is removed after the next save.
            try? await remove(numbers.dropLast().map(keys.image))
            return data.count
        }
    }

    /// Loads the newest image that can be used, and counts a launch with it. Images that cannot be used are set aside.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/archiveFailed``, also if the launch cannot be counted.
    public func load() async throws -> LoadedState {
        try await alone("loaded") { [self] in
            var state = LoadedState(image: nil)
            for number in try await numbers().reversed() {
                switch try await image(number) {
                case .usable(let image):
                    state.image = image
                    return state
                case .missing: continue
                case .useless(let reason): state.setAside.append(try await setAside(number, reason))
                }
            }
            return state
        }
    }

    /// Forgets the launches that were counted. Does nothing if this archive counted none.
    public func launched() async throws {
        try await alone("confirmed") { [self] in
            // A load that took too long may have counted in the turn before.
            if turn.withLock({ $0.hasCounted }) { try await storage.delete(keys.launches) }
        }
    }

    /// Removes all generations. Images that were set aside stay.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/archiveFailed``, if one cannot be removed. The others are.
    public func discard() async throws {
        try await alone("removed") { [self] in
            try await remove(numbers().map(keys.image) + [keys.launches])
        }
    }

    /// Removes keys one at a time: a transaction needs space on the disk, and one key could keep all.
    ///
    /// - Throws: The first error of the storage, after the last key.
    private func remove(_ keys: [StorageKey]) async throws {
        var failure: (any Error)?
        for key in keys {
            do { try await storage.delete(key) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// The images that were set aside, by this launch and earlier ones: the latest first. Empty if the storage cannot be
    /// read.
    public var setAside: [SetAsideImage] {
        get async { (try? await alone("listed") { [self] in try await imagesSetAside() }) ?? [] }
    }

    /// Runs one call at a time, in the order of the calls. It continues if its task is cancelled.
    private func alone<Result: Sendable>(
        _ operation: String,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = turn.withLock { turn in
            let task = Task.detached(executorPreference: inheritedExecutor) { [last = turn.last] in
                await last?.value
                return try await work()
            }
            turn.last = Task.detached(executorPreference: inheritedExecutor) { _ = await task.result }
            return task
        }
        do {
            return try await task.value
        } catch {
            throw error as? LifecycleError ?? .archiveFailed(operation, cause: error)
        }
    }

    // Generations.

    /// What a generation is good for.
    enum Generation {
        case usable(AppImage)
        case useless(SetAsideImage.Reason)
        case missing
    }

    static func encode(_ image: AppImage) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(image)
    }

    /// Reads an image of this version of Axiom and of the application, or of an earlier one.
    static func decode(_ data: Data, upTo known: Version) -> Generation {
        struct Versions: Decodable {
            let format: Int
            let appVersion: Version
        }
        guard let versions = try? JSONDecoder().decode(Versions.self, from: data) else { return .useless(.damaged) }
        guard versions.format <= AppImage.currentFormat, versions.appVersion <= known else { return .useless(.newer) }
        return (try? JSONDecoder().decode(AppImage.self, from: data)).map(Generation.usable) ?? .useless(.damaged)
    }

    /// The numbers of the generations in ascending order.
    private func numbers() async throws -> [UInt64] {
        try await storage.keys(prefix: keys.images).compactMap(keys.number).sorted()
    }

    /// Reads a generation, and counts a launch with it if it can be used.
    ///
    /// - Throws: The error of the storage. Then the image must not be used: a launch that is not counted could fail for
    ///   ever.
    private func image(_ number: UInt64) async throws -> Generation {
        switch try await storage.bytes(keys.image(number)) {
        case .missing: return .missing
        case .damaged: return .useless(.damaged)
        case .newer: return .useless(.newer)
        case .unreadable: return .useless(.unreadable)
        case .data(let data) where data.count > maximumBytes: return .useless(.unreadable)
        case .data(let data):
            let generation = Self.decode(data, upTo: appVersion)
            guard case .usable = generation else { return generation }
            return try await countLaunch(number) ? generation : .useless(.launchFailed)
        }
    }

    /// - Returns: False if too many launches with the image did not become active.
    private func countLaunch(_ number: UInt64) async throws -> Bool {
        var launches = Launches(image: number, count: 0)
        // A count that is damaged, of another image, or never written, is none.
        if case .data(let data) = try await storage.bytes(keys.launches),
            let known = try? JSONDecoder().decode(Launches.self, from: data), known.image == number,
            (0...Self.maximumLaunches).contains(known.count)
        {
            launches = known
        }
        guard launches.count < Self.maximumLaunches else { return false }
        launches.count += 1
        try await storage.save(launches, keys.launches)
        turn.withLock { $0.hasCounted = true }
        return true
    }

    /// How many launches began with an image without becoming active.
    private struct Launches: Codable {
        let image: UInt64
        var count: Int
    }

    // Images that cannot be used.

    private func setAside(_ number: UInt64, _ reason: SetAsideImage.Reason) async throws -> SetAsideImage {
        let known = try await storage.keys(prefix: keys.setAside)
        let image = keys.aside(reason, at: clock.secondsSinceEpoch, besides: Set(known))
        try await storage.moveAside(keys.image(number), to: image.key)
        // The new one stays also if the clock was set back.
        let others = try await imagesSetAside().filter { $0.key != image.key }
        try? await remove(others.dropFirst(maximumSetAside - 1).map(\.key))
        return image
    }

    private func imagesSetAside() async throws -> [SetAsideImage] {
        try await storage.keys(prefix: keys.setAside).reversed().compactMap(keys.image(aside:))
    }
}
