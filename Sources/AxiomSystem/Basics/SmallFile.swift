// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A system call failed.
struct SystemCallError: Error, Hashable, CustomStringConvertible {
    /// The call or the file.
    let subject: String
    /// The value of `errno`.
    let code: Int32

    var description: String { "\(subject.printable): \(String(cString: strerror(code)))" }
}

extension CapabilityError {
    /// A source cannot begin, because a system call failed with the code of `errno`.
    static func failedCall(_ subject: String, _ code: Int32) -> Self {
        sourceUnavailable(because: "\(SystemCallError(subject: subject, code: code))")
    }
}

/// Reads small files that the kernel makes.
enum SmallFile {
    /// The maximum number of bytes to read: the files of /proc and /sys that sources read have less than 1 KiB.
    static let limit = 16_384

    /// The beginning of the file at `path`.
    ///
    /// A pipe or a device is refused, so that opening or reading it cannot wait for another program.
    ///
    /// - Throws: ``SystemCallError``.
    static func read(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemCallError(subject: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemCallError(subject: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemCallError(subject: path, code: EINVAL) }
        return try contents(of: descriptor, path)
    }

    /// The beginning of an open file, from its first byte.
    ///
    /// - Throws: ``SystemCallError``.
    static func read(again descriptor: Int32) throws -> String {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemCallError(subject: "lseek", code: errno) }
        return try contents(of: descriptor, "read")
    }

    /// The text of a file with single spaces between its words; nil if it cannot be read or is empty.
    static func line(_ path: String) -> String? {
        guard let text = try? read(path) else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The decimal number in a file; nil if there is none.
    static func number(_ path: String) -> Int? {
        line(path).flatMap { Int($0) }
    }

    /// The names in a folder in their order, without hidden ones, at most `limit` of them.
    ///
    /// - Throws: ``SystemCallError``.
    static func names(in folder: String, limit: Int = 256) throws -> [String] {
        guard let stream = opendir(folder) else { throw SystemCallError(subject: folder, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func contents(of descriptor: Int32, _ path: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let added = bytes.withUnsafeMutableBytes { buffer in
                #if canImport(Darwin)
                Darwin.read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
                #elseif canImport(Musl)
                Musl.read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
                #else
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
                #endif
            }
            if added < 0, errno == EINTR { continue }
            guard added >= 0 else { throw SystemCallError(subject: path, code: errno) }
            if added == 0 { break }
            count += added
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
