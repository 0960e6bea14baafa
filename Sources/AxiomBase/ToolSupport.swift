// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What the programs of the package `Tools` use of this module. They are of another package, so that `package` does not reach
/// them, and nothing here is for other users.
@_spi(AxiomTools)
public enum ToolSupport {
    /// A file operation that failed.
    public struct FileFailure: MessageError, Hashable, CustomStringConvertible {
        /// The operation, the path, and what the operating system said, as `could not lock /tmp/a: No locks available`.
        public let message: String
        /// What the operating system said; nil if it was not asked.
        public let cause: String?

        init(_ error: FileError) { (message, cause) = (error.message, error.cause) }

        /// The last system call failed; `errno` still has the reason.
        public static func system(_ operation: String, _ path: String) -> FileFailure {
            FileFailure(.system(operation, path))
        }
    }

    /// The contents of the regular file at `path`; nil if there is no such file.
    ///
    /// - Throws: If the file cannot be read, is not a regular file, or has more than `limit` bytes.
    public static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8]? {
        do throws(FileError) {
            return try FileBytes.read(path, limit: limit)
        } catch {
            throw FileFailure(error)
        }
    }

    /// Replaces the contents of the file at `path` as a whole, also if the machine stops. Its mode stays.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        do throws(FileError) {
            try AtomicFile.write(bytes, to: path)
        } catch {
            throw FileFailure(error)
        }
    }

    /// Does the same if the file still has the contents `old`.
    ///
    /// - Returns: Whether it had them.
    public static func replace(_ old: [UInt8], with new: [UInt8], in path: String) throws(FileFailure) -> Bool {
        do throws(FileError) {
            // No other writer can change it between the reading and the writing.
            var file = try AtomicFile(path)
            guard try FileBytes.read(path, limit: .max) == old else { return false }
            try file.write(new)
            return true
        } catch {
            throw FileFailure(error)
        }
    }

    /// The checksum CRC-32C of bytes.
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 { CRC32C.checksum(bytes) }

    /// An environment without the variables by which git tells a hook its repository: for git, and for programs that start it.
    public static func withoutRepository(_ environment: [String: String]) -> [String: String] {
        GitEnvironment.withoutRepository(environment)
    }

    /// Why git refuses to work in a repository; nil if it says that there is none.
    ///
    /// - Parameter text: What `git rev-parse` wrote to its standard error, in the locale `C`.
    public static func refusal(ofGit text: String) -> String? { GitEnvironment.refusal(in: text) }

    /// The text of an error without a full stop, for use inside a sentence.
    public static func clause(_ error: any Error) -> String { String(clause: error) }

    /// The text without trailing full stops and white space.
    public static func clause(_ text: String) -> String { text.clause }
}

/// Which process listens at a port, for messages. Takes some milliseconds.
package enum PortOwner {
    /// The process that listens at a port of TCP, as `this process` or `process 4711 (axiom-demo)`. Nil if the system does not
    /// say it: for a process of another user, or if several processes listen at the port, at different addresses.
    package static func name(_ port: Int) -> String? {
        let sockets = listeningSockets(port)
        let owners = names(in: "/proc").compactMap { pid_t($0) }.filter { !held($0, sockets).isEmpty }
        guard let owner = owners.first, owners.count == 1, held(owner, sockets) == sockets else { return nil }
        if owner == getpid() { return "this process" }
        let text = (try? FileBytes.read("/proc/\(owner)/comm", limit: .max)) ?? nil
        let program = String(decoding: text ?? [], as: UTF8.self).trimmingCharacters(in: .newlines)
        return "process \(owner)" + (program.isEmpty ? "" : " (\(program.printable))")
    }

    /// The links by which processes have the listening sockets of a port open: `socket:[4711]`.
    private static func listeningSockets(_ port: Int) -> Set<String> {
        var sockets: Set<String> = []
        for path in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            guard let bytes = try? FileBytes.read(path, limit: .max) else { continue }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
                // 0: 0100007F:24F8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 131074 1 …
                let words = line.split(separator: " ")
                guard words.count > 9, words[3] == "0A", let end = words[1].split(separator: ":").last,
                    Int(end, radix: 16) == port
                else { continue }
                sockets.insert("socket:[\(words[9])]")
            }
        }
        return sockets
    }

    /// The sockets that a process has open. None for a process of another user.
    private static func held(_ process: pid_t, _ sockets: Set<String>) -> Set<String> {
        let folder = "/proc/\(process)/fd"
        let links = names(in: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        return sockets.intersection(links)
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
