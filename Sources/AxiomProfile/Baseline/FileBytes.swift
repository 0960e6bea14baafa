// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Reads whole files, with errors that name them.
enum FileBytes {
    /// The contents of the regular file at `path`; nil when there is nothing.
    ///
    /// - Throws: ``ProfileError`` when it cannot be read, is no regular file or has more than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(ProfileError) -> [UInt8]? {
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
            throw ProfileError(.fileSystem, "\(path) is no regular file: give the path of a file")
        }
        guard status.st_size <= limit else {
            throw ProfileError(.fileSystem, "\(path) has \(status.st_size) bytes, more than the \(limit) that are read")
        }
        return try contents(of: descriptor, path)
    }

    private static func contents(of descriptor: CInt, _ path: String) throws(ProfileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let size = buffer.count
            let count = Foundation.read(descriptor, &buffer, size)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw .system("read", path)
            }
        }
    }
}

extension ProfileError {
    /// A system call failed just now; `errno` still says why.
    static func system(_ operation: String, _ path: String) -> ProfileError {
        ProfileError(.fileSystem, "could not \(operation) \(path)", cause: String(cString: strerror(errno)))
    }
}
