// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs a program to its end.
public struct Command: Sendable {
    /// What a program left behind.
    public struct Output: Sendable {
        /// The exit code; for a program that a signal ended, the signal's number.
        public let status: Int32
        /// What it wrote to standard output.
        public let output: String
        /// What it wrote to standard error.
        public let errors: String
    }

    /// Runs the program at `path` and waits for it.
    ///
    /// Input and output go through files, so that a program which writes much before it reads cannot block.
    ///
    /// - Throws: When the program cannot be started or a temporary file not be written.
    public static func run(_ path: String, _ arguments: [String], input: Data = Data()) async throws -> Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "err"].map { folder.appending(path: $0) }
        for file in files { try (file == files[0] ? input : Data()).write(to: file) }

        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        return Output(
            status: try await status(of: process),
            output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
        )
    }

    /// Waits without holding a thread, of which other tests need every one.
    private static func status(of process: Process) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
