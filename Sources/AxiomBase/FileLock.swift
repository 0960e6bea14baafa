// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A lock on a file, by `flock`. The kernel releases it when the process ends.
///
/// It belongs to this object, not to the process: two locks of one process exclude each other too.
package final class FileLock: Sendable {
    package enum Mode: Sendable {
        case shared
        case exclusive

        fileprivate var flag: CInt { self == .shared ? LOCK_SH : LOCK_EX }
    }

    /// What is locked.
    package let path: String
    private let descriptor: CInt

    /// Opens a file, and makes it if there is none. Nothing is locked yet.
    package init(_ path: String) throws(FileError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError.system("create", path) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        unlock()
        close(descriptor)
    }

    /// Whether the path still leads to the file. A lock on one that was removed or renamed has no effect on other
    /// processes that use the path.
    package var isInPlace: Bool { FileIdentity(descriptor)?.isAt(path) ?? false }

    /// Releases the lock. Closing the file is not enough: a child process that is being started has a copy of its
    /// descriptor for a moment, and the copy would keep the lock.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Locks the file or changes the mode of the lock. Blocks the thread while another holder excludes it.
    ///
    /// - Throws: ``FileError``: with the code `EWOULDBLOCK` after the limit. It then names the process that has the lock.
    package func lock(_ mode: Mode, milliseconds: Int32) throws(FileError) {
        let deadline = TimeSource.live.now.advanced(by: .milliseconds(milliseconds))
        while try !tryLock(mode) {
            guard TimeSource.live.now < deadline else {
                let owner = FileLockOwner.name(path).map { "\($0) has it, and " } ?? ""
                throw FileError("\(owner)it is still locked after \(milliseconds) ms", code: EWOULDBLOCK)
            }
            // flock has no time limit, and reports no release: it is tried again.
            usleep(2_000)
        }
    }

    /// Locks the file or changes the mode of the lock, if no other holder excludes it.
    package func tryLock(_ mode: Mode) throws(FileError) -> Bool {
        if flock(descriptor, mode.flag | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError.system("lock", path) }
        return false
    }
}

/// Which file has a name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    private init(_ status: stat) {
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }

    /// Nil if no file has the name.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// An open file.
    init?(_ descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether the file has this name. A path that cannot be looked at, as without the permission, says nothing against it.
    package func isAt(_ path: String) -> Bool {
        guard let named = FileIdentity(path) else { return errno != ENOENT && errno != ENOTDIR }
        return named == self
    }
}

/// Which process has locked a file with `flock`, for messages.
package enum FileLockOwner {
    /// The process that has locked the file, as `process 4711` or `this process`; nil if the system does not say it.
    package static func name(_ path: String) -> String? {
        guard let process = process(path) else { return nil }
        return process == getpid() ? "this process" : "process \(process)"
    }

    /// Linux lists all locks with the number of the file. The numbers of its devices differ from those of `stat` on some file
    /// systems, so they are not compared, and two owners of one number are none.
    private static func process(_ path: String) -> pid_t? {
        var status = stat()
        guard stat(path, &status) == 0, let bytes = try? FileBytes.read("/proc/locks", limit: .max) else { return nil }
        var owners: Set<pid_t> = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // 1: FLOCK  ADVISORY  WRITE 4711 08:02:131074 0 EOF
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = pid_t(words[4]), process > 0,
                words[5].split(separator: ":").last == "\(status.st_ino)"
            else { continue }
            owners.insert(process)
        }
        return owners.count == 1 ? owners.first : nil
    }
}
