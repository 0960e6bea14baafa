// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Dispatch

/// Keeps the state of an application in a folder: two generations, each with a checksum.
///
/// ```swift
/// let archive = FileStateArchive("/var/lib/shop/state", appVersion: Version(1, 4, 0))
/// let lifecycle = try AppLifecycle(orchestrator, archive: archive)
/// ```
/// A save writes a new file, flushes it and renames it over the older generation, so a crash of the process or of the
/// machine at any moment leaves either the previous image or the new one intact.
///
/// An image that is damaged, that a newer version wrote, or with which two launches did not become active is moved to
/// the folder `set-aside`, under a name that says when and why. The generation before it is used then. Its own launches
/// are counted too, so an image that ends the process cannot do so for ever.
///
/// One process uses a folder at a time: it locks the folder with its first use, until its archives of the folder end. Another
/// process gets an error that names the first one, after a second. All calls wait on a thread of their own, not on the threads of tasks.
public final class FileStateArchive: StateArchive {
    /// The version of the application.
    public let appVersion: Version
    private let folder: StateFolder
    private let queue = DispatchQueue(label: "axiom.state-archive", qos: .utility)

    /// Creates an archive. Nothing is read or written yet; the first save makes the folder, for this user only.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - appVersion: The version of the application. With the default, no image counts as newer.
    ///   - maximumBytes: The largest image that is saved or loaded: 16 MiB by default.
    ///   - maximumSetAside: How many images are kept that could not be used: the latest 10 by default, at least 1.
    ///   - clock: The clock of the names of images that are set aside.
    public init(
        _ folder: String,
        appVersion: Version = Version(0, 0, 0),
        maximumBytes: Int = 16 * 1_048_576,
        maximumSetAside: Int = 10,
        clock: TimeSource = .live
    ) {
        self.appVersion = appVersion
        self.folder = StateFolder(
            path: folder.isEmpty ? "." : folder,
            appVersion: appVersion,
            maximumBytes: maximumBytes,
            maximumSetAside: maximumSetAside,
            clock: clock
        )
    }

    /// Replaces the older generation. If it throws, both generations stay.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/imageTooLarge`` or ``ErrorCode/archiveFailed``.
    @discardableResult
    public func save(_ image: AppImage) async throws -> Int {
        try await onQueue("saved") { try $0.save(image) }
    }

    /// Loads the newest image that can be used, and counts a launch with it. Images that cannot be used are set aside.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/archiveFailed``, also if the launch cannot be counted.
    public func load() async throws -> LoadedState {
        try await onQueue("loaded") { try $0.load() }
    }

    /// Forgets the launches that were counted.
    public func launched() async throws {
        try await onQueue("confirmed") { $0.launched() }
    }

    /// Removes both generations. Images that were set aside stay.
    ///
    /// - Throws: ``LifecycleError`` with the code ``ErrorCode/archiveFailed``.
    public func discard() async throws {
        try await onQueue("removed") { try $0.discard() }
    }

    /// The images that were set aside, by this launch and earlier ones: the latest first. Empty if the folder cannot be
    /// read.
    public var setAside: [SetAsideImage] {
        get async { (try? await onQueue("listed") { $0.setAside }) ?? [] }
    }

    private func onQueue<Result: Sendable>(
        _ operation: String,
        _ work: @escaping @Sendable (StateFolder) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [folder] in
                continuation.resume(
                    with: Swift.Result { try work(folder) }.mapError {
                        $0 as? LifecycleError ?? .archiveFailed(operation, cause: $0)
                    }
                )
            }
        }
    }
}
