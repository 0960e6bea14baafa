// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Keeps other processes from the folder of an archive, as long as the archive exists. The archives of one process that use
/// one folder share its lock.
final class ArchiveLock: Sendable {
    private struct Holder {
        weak var lock: FileLock?
    }

    /// The locks of this process, by the paths of the folders without links.
    private static let holders = Lock<[String: Holder]>([:])

    /// Longer than a process needs to end after its last save, as before its successor starts.
    private static let limit: Int32 = 1_000

    private let own = Lock<FileLock?>(nil)

    /// Locks the folder if this process has not locked it. Does nothing if there is no folder, or if its file system has no
    /// locks. Blocks for 1 s at most.
    ///
    /// - Throws: ``FileError`` that names the process which has the folder, or the folder that cannot be opened.
    func hold(_ folder: String) throws(FileError) {
        guard let real = realpath(folder, nil) else { return }
        defer { free(real) }
        let path = String(cString: real)
        let lock = try Self.holders.withLock { holders throws(FileError) in
            holders = holders.filter { $0.value.lock != nil }
            if let lock = holders[path]?.lock, lock.isInPlace { return lock }
            let lock = try Self.locked(path)
            holders[path] = Holder(lock: lock)
            return lock
        }
        // The former lock is released outside of the lock that guards it.
        let former = own.withLock { own in
            defer { own = lock }
            return own
        }
        withExtendedLifetime(former) {}
    }

    private static func locked(_ path: String) throws(FileError) -> FileLock {
        let lock = try FileLock(folder: path)
        do {
            try lock.lock(.exclusive, milliseconds: limit)
        } catch  where error.code == EWOULDBLOCK {
            throw FileError(
                "another process uses the folder \(path): \(error.message). End it, or give this one a folder of its own",
                code: error.code
            )
        } catch {}
        return lock
    }
}
