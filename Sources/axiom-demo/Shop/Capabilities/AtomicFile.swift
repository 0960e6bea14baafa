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

    /// Puts `bytes` at `path`. When it throws, what was there before is still there. What a process that was killed left
    /// unfinished beside it is removed.
    ///
    /// - Throws: ``Failure`` that names the path.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let unfinished = path + ".\(getpid())" + unfinishedSuffix
        // A folder that cannot be listed is named by the write, if it cannot be written to either.
        try? removeUnfinished(in: folder(of: path), of: name(of: path))
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

    /// The name of a file in its folder.
    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The folder that a file lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Removes what processes that have ended left unfinished in a folder.
    ///
    /// - Parameter file: The name of the file that they wrote; nil for all.
    /// - Throws: ``Failure`` when the folder cannot be listed.
    static func removeUnfinished(in folder: String, of file: String? = nil) throws(Failure) {
        guard let listing = opendir(folder) else { throw failure("list", folder) }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let writer = writer(ofUnfinished: name), file.map({ $0 == writer.file }) ?? true else { continue }
            // A process of another user lives too: then the error is EPERM.
            if kill(writer.process, 0) != 0, errno == ESRCH { unlink(folder + "/" + name) }
        }
    }

    /// The file and the process of the name of an unfinished file, such as `cart.json.4711.unfinished`.
    private static func writer(ofUnfinished name: String) -> (file: String, process: pid_t)? {
        guard name.hasSuffix(unfinishedSuffix) else { return nil }
        let stem = name.dropLast(unfinishedSuffix.count)
        guard let dot = stem.lastIndex(of: "."), let process = pid_t(stem[stem.index(after: dot)...]), process > 0
        else {
            return nil
        }
        return (String(stem[..<dot]), process)
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
