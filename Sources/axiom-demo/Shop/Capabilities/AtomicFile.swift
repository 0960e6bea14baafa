// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Files that are replaced as a whole: written beside, flushed to the disk, renamed, and the folder flushed too.
enum AtomicFile {
    /// What the names of files end with that are not finished.
    static let unfinishedSuffix = ".unfinished"

    /// A system call failed.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let operation: String
        let path: String
        let code: CInt

        var problem: String { String(cString: strerror(code)) }
        var description: String { "could not \(operation) \(path): \(problem)" }
    }

    /// Puts `bytes` at `path`. When it throws, what was there before is still there.
    ///
    /// - Throws: ``Failure`` that names the path.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let unfinished = path + ".\(getpid())" + unfinishedSuffix
        do throws(Failure) {
            try writeThrough(bytes, to: unfinished)
            guard rename(unfinished, path) == 0 else { throw failure("replace", path) }
        } catch {
            unlink(unfinished)
            throw error
        }
        try flushFolder(of: path)
    }

    /// The bytes at `path`; nil when there is no such file.
    ///
    /// - Throws: ``Failure`` that names the path.
    static func read(_ path: String) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw failure("read", path)
            }
        }
    }

    /// The folder that a file lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func writeThrough(_ bytes: [UInt8], to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("create", path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("write", path)
            }
        }
        guard fsync(descriptor) == 0 else { throw failure("flush", path) }
    }

    /// Without this a crash of the machine could bring the old file back.
    private static func flushFolder(of path: String) throws(Failure) {
        let folder = folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("flush", folder) }
    }

    private static func failure(_ operation: String, _ path: String) -> Failure {
        Failure(operation: operation, path: path, code: errno)
    }
}
