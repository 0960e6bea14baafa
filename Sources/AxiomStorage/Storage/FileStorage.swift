// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// Keeps each value in a file of one folder.
///
/// ```swift
/// orchestrator.register(FileStorage.self) { FileStorage($0, folder: "/var/lib/shop") }
/// ```
/// It suits values of some kilobytes to some megabytes that people or other programs may want to look at. For many small
/// values, ``SQLiteStorage`` takes less space and less time.
///
/// A file is written beside the old one, flushed and renamed, so the end of the process or of the machine at any moment
/// leaves the old value or the new one. A transaction of several changes is decided by one rename too, that of a
/// journal. Each file has a checksum: damaged bytes are an error, never a wrong value.
///
/// One process uses a folder at a time, if the file system has locks (`flock`). The folder and its files are for the user of
/// the process only. The names of all keys are held in memory.
public actor FileStorage: DiskStorage {
    /// The identity of this capability.
    public nonisolated let identity: ComponentIdentity
    /// Does the work.
    package nonisolated let core: StorageCore

    /// Creates the capability. Its folder is made, if there is none, when the capability is initialised.
    ///
    /// - Parameters:
    ///   - scope: The scope of the capability.
    ///   - folder: The path of the folder.
    ///   - options: The limits.
    public init(_ scope: borrowing CapabilityScope, folder: String, options: StorageOptions = StorageOptions()) {
        self.init(scope.identity, folder, options, scope.status, scope.report)
    }

    /// Creates a storage without an orchestrator. Its folder is made, if there is none, at the first operation.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - options: The limits.
    public init(folder: String, options: StorageOptions = StorageOptions()) {
        let descriptor = ComponentDescriptor(kind: .capability, name: "FileStorage")
        self.init(ComponentIdentity(standalone: descriptor), folder, options, nil, nil)
    }

    private init(
        _ identity: ComponentIdentity,
        _ folder: String,
        _ options: StorageOptions,
        _ status: CapabilityStatus?,
        _ report: (@Sendable (any Error) async -> Void)?
    ) {
        self.identity = identity
        let path = folder.isEmpty ? "." : folder
        core = StorageCore(path, identity, options, status, report, clock: identity.clock) { noteSetAside in
            try FileFolder(path, options, noteSetAside)
        }
    }

    /// The error that names the damaged journal which this storage set aside when it was opened; nil if there was none.
    public var setAside: StorageError? { get async { await core.setAside } }
}
