// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import Foundation

/// Runs a program to its end.
public struct Command: Sendable {
    /// The result of a program.
    public struct Output: Sendable {
        /// The exit code; the signal's number if a signal ended the program.
        public let status: Int32
        /// Its standard output.
        public let output: String
        /// Its standard error.
        public let errors: String
    }

    /// Runs the program at `path` and waits for it.
    ///
    /// Input and output are files. With pipes, a program that writes much before it reads would block.
    ///
    /// - Throws: If the program cannot be started or a temporary file cannot be written.
    public static func run(_ path: String, _ arguments: [String], input: Data = Data()) async throws -> Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "err"].map { folder.appending(path: $0) }
        for file in files { try (file == files[0] ? input : Data()).write(to: file) }

        let handles = [
            try FileHandle(forReadingFrom: files[0]), try FileHandle(forWritingTo: files[1]),
            try FileHandle(forWritingTo: files[2]),
        ]
        // Tests make repositories, also if a hook runs them.
        let environment = GitEnvironment.withoutRepository(ProcessInfo.processInfo.environment)
        let descriptors = handles.enumerated().map { (own: $1.fileDescriptor, other: Int32($0)) }
        let process = try withExtendedLifetime(handles) {
            try ChildProcess.startClosed(path, arguments, environment: environment, descriptors)
        }
        return Output(
            status: await status(of: process),
            output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
        )
    }

    /// Waits on a thread of its own: other tests need those of the pool.
    private static func status(of process: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let ended = ChildProcess.wait(process)
                continuation.resume(returning: ended.map { $0.signal > 0 ? $0.signal : $0.status } ?? -1)
            }
        }
    }
}

extension ChildProcess {
    /// Starts a program that inherits nothing that is open now. A socket that a program keeps would stay open after its test
    /// has closed it.
    static func startClosed(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        _ descriptors: [(own: Int32, other: Int32)]
    ) throws(FileError) -> pid_t {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        for descriptor in open.compactMap(Int32.init) where descriptor > STDERR_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return try start([path] + arguments, environment, descriptors)
    }
}
