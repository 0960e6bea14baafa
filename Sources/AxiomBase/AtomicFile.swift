// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file operation that failed.
package struct FileError: MessageError, Hashable, CustomStringConvertible {
    /// The operation, the path, and what the operating system said, as `could not lock /tmp/a: No locks available`.
    package let message: String
    /// What the operating system said; nil if it was not asked.
    package let cause: String?
    /// The `errno` of the system call that failed; nil if none failed.
    package let code: CInt?

    package init(_ message: String, cause: String? = nil, code: CInt? = nil) {
        self.message = message + (cause.map { ": \($0)" } ?? "")
        self.cause = cause
        self.code = code
    }

    /// The last system call failed; `errno` still has the reason.
    package static func system(_ operation: String, _ path: String) -> FileError {
        let code = errno
        return FileError("could not \(operation) \(path)", cause: String(cString: strerror(code)), code: code)
    }
}

/// Replaces a file as a whole: a reader sees the old contents or the new ones, also after a crash.
///
/// The new contents are written to `.NAME.unfinished` beside the target, flushed, and renamed. That name is fixed, so a
/// killed process leaves at most one such file, which the next writer takes over. The file is also the lock: writers
/// wait for each other with `flock`, which the kernel releases when a process dies. A writer that gets the lock checks
/// that the name still refers to the locked file, because the previous writer may have renamed it.
///
/// ```swift
/// var file = try AtomicFile(path)      // Waits for other writers.
/// try check(file.target)               // No other writer can change it now.
/// try file.write(bytes)
/// ```
/// Without ``write(_:)`` the target stays as it was.
package struct AtomicFile: ~Copyable {
    /// The file that is replaced: the target of the path if that is a symbolic link.
    package let target: String
    private let folder: String
    private let unfinished: String
    private let descriptor: CInt
    private var isRenamed = false

    /// Locks the file for writing. Waits without a limit while another process writes it.
    package init(_ path: String) throws(FileError) {
        guard !path.isEmpty, !path.hasSuffix("/") else { throw FileError("\"\(path)\" is not the path of a file") }
        let target = Self.resolved(path)
        let slash = target.lastIndex(of: "/")
        let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
        let folder = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        let unfinished = "\(folder)/.\(name).unfinished"
        descriptor = try Self.lock(unfinished)
        self.target = target
        self.folder = folder
        self.unfinished = unfinished
    }

    deinit {
        if !isRenamed { unlink(unfinished) }
        // Closing releases the lock.
        close(descriptor)
    }

    /// Replaces the contents of the file at `path`.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        var file = try AtomicFile(path)
        try file.write(bytes)
    }

    /// Replaces the contents of the target and keeps its mode. If it throws before the rename, the target is unchanged.
    package mutating func write(_ bytes: [UInt8]) throws(FileError) {
        try fill(bytes)
        guard rename(unfinished, target) == 0 else { throw .system("replace", target) }
        isRenamed = true
        // Without this, a crash of the machine could restore the old file.
        try FileBytes.flush(folder: folder)
    }

    private func fill(_ bytes: [UInt8]) throws(FileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .system("empty", unfinished) }
        var status = stat()
        if stat(target, &status) == 0, fchmod(descriptor, status.st_mode & 0o777) != 0 {
            throw .system("set the mode of", unfinished)
        }
        try FileBytes.write(bytes, to: descriptor, unfinished)
    }

    private static func lock(_ path: String) throws(FileError) -> CInt {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw .system("create", path) }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    let error = FileError.system("lock", path)
                    close(descriptor)
                    throw error
                }
            }
            if isNamed(descriptor, path) { return descriptor }
            close(descriptor)
        }
    }

    private static func isNamed(_ descriptor: CInt, _ path: String) -> Bool {
        var (locked, named) = (stat(), stat())
        guard fstat(descriptor, &locked) == 0, stat(path, &named) == 0 else { return false }
        return locked.st_ino == named.st_ino && locked.st_dev == named.st_dev
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

/// Reads and writes whole files.
package enum FileBytes {
    /// The contents of the regular file at `path`; nil if there is no such file.
    ///
    /// - Parameters:
    ///   - limit: The largest size of the file.
    ///   - first: How many bytes to read at most.
    /// - Throws: ``FileError`` if the file cannot be read, is not a regular file, or has more than `limit` bytes.
    package static func read(_ path: String, limit: Int, first: Int = .max) throws(FileError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("read", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("\(path) is not a regular file: give the path of a file")
        }
        guard status.st_size <= limit else {
            throw FileError("\(path) has \(status.st_size) bytes, more than the limit of \(limit)")
        }
        // Some file systems report no size, and a file can grow while it is read.
        let bytes = try contents(of: descriptor, path, min(first, limit < .max ? limit + 1 : limit))
        guard bytes.count <= limit else { throw FileError("\(path) has more than the limit of \(limit) bytes") }
        return bytes
    }

    private static func contents(of descriptor: CInt, _ path: String, _ first: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < first {
            let size = min(buffer.count, first - bytes.count)
            let count = Foundation.read(descriptor, &buffer, size)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw .system("read", path)
            }
        }
        return bytes
    }

    /// Makes a file, or replaces the contents of one, and flushes it. A crash can leave a part of the new contents, so
    /// the path must be one that no reader uses yet.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system("create", path) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path)
    }

    /// Writes to an open file and flushes it. The path is for the error.
    static func write(_ bytes: [UInt8], to descriptor: CInt, _ path: String) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .system("write", path)
            }
        }
        guard fsync(descriptor) == 0 else { throw .system("flush", path) }
    }

    /// Flushes the names in a folder: what was created, renamed or removed in it survives a crash of the machine.
    package static func flush(folder path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("flush", path) }
    }
}
