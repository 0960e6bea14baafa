// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Keeps other processes from the folder of an archive, as long as the archive exists. The archives of one process that use
/// one folder share its lock.
final class ArchiveLock: Sendable {
    /// The lock that this process has, or waits for, on one folder. One that waits for another process holds up only the
    /// users of this folder.
    private final class Place: Sendable {
        private struct Held {
            weak var lock: FileLock?
        }

        private let held = Lock(Held())

        func lock(_ path: String, milliseconds: Int32) throws(FileError) -> FileLock {
            try held.withLock { held throws(FileError) in
                if let lock = held.lock, lock.isInPlace { return lock }
                let lock = try ArchiveLock.locked(path, milliseconds: milliseconds)
                held.lock = lock
                return lock
            }
        }
    }

    private struct KnownPlace {
        weak var place: Place?
    }

    /// The places that are in use, by the paths of the folders without links.
    private static let places = Lock<[String: KnownPlace]>([:])

    /// Longer than a process needs to end after its last save, as before its successor starts.
    static let limit: Int32 = 1_000

    private let own = Lock<(place: Place, lock: FileLock)?>(nil)

    /// Locks the folder if this process has not locked it. Does nothing if there is no folder, or if its file system has no
    /// locks. Blocks for the limit at most.
    ///
    /// - Throws: ``FileError`` that names the process which has the folder, or the folder that cannot be opened.
    func hold(_ folder: String, milliseconds: Int32 = limit) throws(FileError) {
        guard let real = realpath(folder, nil) else { return }
        defer { free(real) }
        let path = String(cString: real)
        let place = Self.place(path)
        let lock = try place.lock(path, milliseconds: milliseconds)
        // The former lock is released outside of the lock that guards it.
        let former = own.withLock { own in
            defer { own = (place, lock) }
            return own
        }
        withExtendedLifetime(former) {}
    }

    private static func place(_ path: String) -> Place {
        places.withLock { places in
            if let place = places[path]?.place { return place }
            places = places.filter { $0.value.place != nil }
            let place = Place()
            places[path] = KnownPlace(place: place)
            return place
        }
    }

    private static func locked(_ path: String, milliseconds: Int32) throws(FileError) -> FileLock {
        let lock = try FileLock(folder: path)
        do {
            try lock.lock(.exclusive, milliseconds: milliseconds)
        } catch  where error.code == EWOULDBLOCK {
            throw FileError(
                "another process uses the folder \(path): \(error.message). End it, or give this one a folder of its own",
                code: error.code
            )
        } catch {}
        return lock
    }
}
