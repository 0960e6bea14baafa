// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Replaces a file as a whole: what is new is written beside it under a lock, flushed, and renamed.
///
/// The unfinished file has one fixed name, so that at most one is ever left behind, and is itself the lock: writers
/// wait for each other with `flock`, which the kernel releases when a process dies. Who gets the lock checks that the
/// name still means the file that it locked, since the one before may have renamed it.
struct FileReplacement {
    /// The file that is replaced; where the path was a symbolic link, that to which it leads.
    let target: String
    private let folder: String
    private let unfinished: String

    init(of path: String) throws(ProfileError) {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw ProfileError(.fileSystem, "\"\(path)\" is no path of a file")
        }
        let target = Self.resolved(path)
        let slash = target.lastIndex(of: "/")
        let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
        let folder = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        self.target = target
        self.folder = folder
        unfinished = "\(folder)/.\(name).unfinished"
    }

    /// Puts `bytes` at the target. When it throws, what was there before is still there.
    ///
    /// - Parameter mayReplace: Looks at the target while no other writer can change it, and throws to leave it.
    func replace(
        with bytes: [UInt8],
        mayReplace: (_ target: String) throws(ProfileError) -> Void
    ) throws(ProfileError) {
        let descriptor = try lockUnfinished()
        // Closing releases the lock.
        defer { close(descriptor) }
        do throws(ProfileError) {
            try mayReplace(target)
            try write(bytes, to: descriptor)
            guard rename(unfinished, target) == 0 else { throw .system("replace", target) }
        } catch {
            unlink(unfinished)
            throw error
        }
        try flushFolder()
    }

    private func lockUnfinished() throws(ProfileError) -> CInt {
        while true {
            let descriptor = open(unfinished, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw .system("create", unfinished) }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    let error = ProfileError.system("lock", unfinished)
                    close(descriptor)
                    throw error
                }
            }
            if isStillNamed(descriptor) { return descriptor }
            close(descriptor)
        }
    }

    private func isStillNamed(_ descriptor: CInt) -> Bool {
        var (locked, named) = (stat(), stat())
        guard fstat(descriptor, &locked) == 0, stat(unfinished, &named) == 0 else { return false }
        return locked.st_ino == named.st_ino && locked.st_dev == named.st_dev
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt) throws(ProfileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system("empty", unfinished) }
        var status = stat()
        if stat(target, &status) == 0, fchmod(descriptor, status.st_mode & 0o777) != 0 {
            throw .system("set the mode of", unfinished)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .system("write", unfinished)
            }
        }
        guard fsync(descriptor) == 0 else { throw .system("flush", unfinished) }
    }

    /// Without this a crash of the machine could bring the old file back.
    private func flushFolder() throws(ProfileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("flush", folder) }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
