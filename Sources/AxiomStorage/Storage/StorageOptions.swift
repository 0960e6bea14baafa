// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// The limits of a storage, and how it is named.
public struct StorageOptions: Sendable {
    /// The name of the storage as a label of metrics; nil for the name of its component, which is that of its type.
    public var name: String?
    /// The maximum size of a key and its value, in bytes: 16 MiB by default, at most 999 MB. A larger one is refused with
    /// ``Axiom/ErrorCode/valueTooLarge``.
    public var maximumValueBytes: Int
    /// The maximum size of all files, or of the database without its log, in bytes: 1 GiB by default. A change that would
    /// exceed it is refused with ``Axiom/ErrorCode/storageLimitReached``. Keys can be removed at any time.
    public var maximumBytes: Int
    /// How long to wait while another process uses the files: 5 s by default, at most a day. Then
    /// ``Axiom/ErrorCode/storageLocked`` is thrown.
    public var lockTimeout: Duration
    /// The prefixes of keys that can be made again, as `cache/`. These keys are deleted when the disk is critically short
    /// of space. None by default; the empty prefix stands for all keys.
    public var discardablePrefixes: [String]
    /// Called when damaged files were set aside, such as a database that a new one replaces, on the thread of
    /// the storage. It must return at once and not wait for the storage. By default it writes a line to the standard error.
    /// The error also ends at the boundary of the orchestrator, if the storage belongs to one.
    public var onSetAside: @Sendable (StorageError) -> Void

    /// Creates options.
    public init(
        name: String? = nil,
        maximumValueBytes: Int = 16 * 1_048_576,
        maximumBytes: Int = 1_073_741_824,
        lockTimeout: Duration = .seconds(5),
        discardablePrefixes: [String] = [],
        onSetAside: @escaping @Sendable (StorageError) -> Void = { StorageOptions.warn($0) }
    ) {
        self.name = name
        self.maximumValueBytes = maximumValueBytes
        self.maximumBytes = maximumBytes
        self.lockTimeout = lockTimeout
        self.discardablePrefixes = discardablePrefixes
        self.onSetAside = onSetAside
    }

    /// Writes an error to the standard error.
    public static func warn(_ error: StorageError) {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
    }

    /// ``lockTimeout``, from 0 to a day.
    var lockMilliseconds: Int32 {
        let timeout = min(max(lockTimeout, .zero), .seconds(86_400))
        return Int32(timeout / .milliseconds(1))
    }

    /// Whether a key may be deleted when space is short.
    func isDiscardable(_ key: StorageKey) -> Bool {
        discardablePrefixes.contains { key.hasPrefix($0) }
    }

    /// Throws if one of the values is too large.
    func check(_ changes: [StorageChange], of path: String) throws(StorageError) {
        // SQLite's own limit is 1 GB for a row.
        let limit = min(maximumValueBytes, 999_000_000)
        for case .put(let key, let data) in changes {
            let size = key.name.utf8.count + data.count
            guard size > limit else { continue }
            throw .valueTooLarge(key, size, limit: limit, path)
        }
    }
}
