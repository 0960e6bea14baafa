// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The lock of a storage, with the errors of storages.
extension FileLock {
    /// Opens the file of a lock, and makes it if there is none. Nothing is locked yet.
    static func ofStorage(_ path: String) throws(StorageError) -> FileLock {
        do { return try FileLock(path) } catch { throw StorageError(error, path) }
    }

    /// Locks the file or changes the mode of the lock. Blocks the thread while another holder excludes it.
    ///
    /// - Throws: ``StorageError`` with the code `storageLocked` after the limit.
    func hold(_ mode: Mode, milliseconds: Int32) throws(StorageError) {
        do { try lock(mode, milliseconds: milliseconds) } catch { throw StorageError(error, path) }
    }
}

/// Paths as text.
enum FilePath {
    /// The folder in a path: empty for a name alone, and `/` for what stands in it. `NSString` traps for a name of one character.
    static func folder(of path: String) -> String {
        let slash = UInt8(ascii: "/")
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        guard let end = bytes.lastIndex(of: slash) else { return "" }
        bytes = bytes[..<end]
        while bytes.last == slash { bytes.removeLast() }
        return bytes.isEmpty ? "/" : String(Substring(bytes))
    }

    /// The file that a symbolic link leads to, also if there is no such file yet; the path itself if it is not a link. The files
    /// beside it, such as its lock, must have one name for all who use it.
    static func target(_ path: String) -> String {
        var path = path
        // As many links as the kernel follows.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            let folder = folder(of: path)
            path = next.hasPrefix("/") || folder.isEmpty ? next : "\(folder)/\(next)"
        }
        return path
    }
}

/// Files that are moved out of the way because they are damaged.
enum SetAside {
    /// A name for a damaged file, beside it: no file has it.
    static func target(_ path: String) -> String {
        let stamp = Date().formatted(.iso8601).replacing(":", with: "-")
        var target = "\(path).damaged-\(stamp)"
        var copy = 1
        while access(target, F_OK) == 0 {
            copy += 1
            target = "\(path).damaged-\(stamp).\(copy)"
        }
        return target
    }

    /// Renames a file if it is there.
    static func move(_ path: String, to target: String) throws(StorageError) {
        guard rename(path, target) != 0, errno != ENOENT else { return }
        throw StorageError(FileError.system("rename", path), path)
    }
}

/// Whether files can be written.
enum WritableProbe {
    /// Writes a byte to a file and removes it. Nothing is flushed: the answer is for an availability check, which must
    /// come soon.
    ///
    /// - Throws: ``StorageError`` of the path.
    static func check(_ probe: String, of path: String) throws(StorageError) {
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StorageError(FileError.system("create", probe), path) }
        defer {
            close(descriptor)
            unlink(probe)
        }
        guard write(descriptor, "x", 1) == 1 else { throw StorageError(FileError.system("write", probe), path) }
    }
}
