// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import Dispatch
package import Foundation

/// A storage in files. Users see it as a ``KeyValueStorage`` and as a capability.
///
/// The members of the extension are public, because they implement the requirements of those protocols.
package protocol DiskStorage: StorageCapability, KeyValueStorage {
    /// Does the work.
    nonisolated var core: StorageCore { get }
}

extension DiskStorage {
    /// The bytes of a key; nil if it has none.
    ///
    /// - Throws: ``StorageError``, with the code ``Axiom/ErrorCode/valueDamaged`` if the bytes are damaged.
    public nonisolated func data(_ key: StorageKey) async throws -> Data? {
        try await core.data(key)
    }

    /// The keys that begin with a prefix, in ascending order. The empty prefix gives all keys.
    ///
    /// - Throws: ``StorageError``.
    public nonisolated func keys(prefix: String) async throws -> [StorageKey] {
        try await core.keys(prefix: prefix)
    }

    /// Carries out all changes or, if it throws, none. Returns when they are durable. Of several changes of one key the
    /// last one counts.
    ///
    /// - Throws: ``StorageError``.
    public nonisolated func transaction(_ changes: [StorageChange]) async throws {
        try await core.transaction(changes)
    }

    /// Moves the bytes of a key to another key, as they are, also if they are damaged: of a file also its first line. A file
    /// that the disk cannot read, or that cannot be copied because the disk is full, is renamed. It is then a damaged value of
    /// the other key.
    ///
    /// - Throws: ``StorageError``. Then nothing has changed.
    public nonisolated func moveAside(_ key: StorageKey, to target: StorageKey) async throws {
        try await core.moveAside(key, to: target)
    }

    /// Opens the files. Without a call, the first operation does.
    ///
    /// - Throws: ``StorageError``. A later call or operation tries again.
    public func initialize() async throws { try await core.open() }

    /// Closes the files. Every later operation throws ``Axiom/ErrorCode/storageClosed``.
    public func terminate() async { await core.close() }

    /// Whether values can be written now. Writes and removes a byte, without a flush, so that a full disk and a folder
    /// that became read-only are noticed; a lock of another process is not.
    public var isAvailable: Bool { get async { await core.isWritable() } }

    /// Frees what is not needed: memory of caches when memory is short; unused space in files when the disk is full, and
    /// the keys of ``StorageOptions/discardablePrefixes`` when it is critically short.
    ///
    /// - Returns: The number of freed bytes.
    public func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        switch resource {
        case .memory, .storage: await core.relieve(resource, pressure)
        case .thermal, .power: 0
        }
    }

    /// Frees space on the disk, as ``relieve(_:_:)`` does when the disk is short of it.
    public func relieve(_ pressure: PressureLevel) async -> Int64 {
        await core.relieve(.storage, pressure)
    }
}

/// Runs the jobs of actors one after the other on a queue of its own.
///
/// The work of a disk may block its thread. The threads of the cooperative pool, which all other tasks share, must not
/// block; so an actor that uses the disk has this executor:
///
/// ```swift
/// actor Files {
///     private let executor = DiskExecutor("files")
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
package final class DiskExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates an executor. The label names its queue in a debugger.
    package init(_ label: String) { queue = DispatchQueue(label: label, qos: .utility) }

    /// Runs a job after those that were enqueued before it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Ends the process with a message if the calling thread does not run a job of this executor.
    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
