// SPDX-License-Identifier: Apache-2.0

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

        init(_ error: FileError) {
            (message, cause) = (error.message, error.cause)
        }

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
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        CRC32C.checksum(bytes)
    }

    /// An environment without the variables by which git tells a hook its repository: for git, and for programs that start it.
    public static func withoutRepository(_ environment: [String: String]) -> [String: String] {
        GitEnvironment.withoutRepository(environment)
    }

    /// Why git refuses to work in a repository; nil if it says that there is none.
    ///
    /// - Parameter text: What `git rev-parse` wrote to its standard error, in the locale `C`.
    public static func refusal(ofGit text: String) -> String? {
        GitEnvironment.refusal(in: text)
    }

    /// The text of an error without a full stop, for use inside a sentence.
    public static func clause(_ error: any Error) -> String {
        String(clause: error)
    }

    /// The text without trailing full stops and white space.
    public static func clause(_ text: String) -> String {
        text.clause
    }
}
