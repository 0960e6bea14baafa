// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A program that has ended.
struct FinishedProgram {
    let status: Int32
    let output: String
    let errors: String
    let seconds: Double

    /// A program that ended otherwise than it should have.
    struct Failure: MessageError, CustomStringConvertible {
        let message: String
    }

    /// Runs a program from `PATH` and waits for its end. It inherits no repository of a hook.
    ///
    /// - Parameters:
    ///   - folder: The current folder of the program; nil for that of this one.
    ///   - environment: Variables beside the inherited ones.
    static func run(
        _ command: [String],
        in folder: String? = nil,
        _ environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        let files = FileManager.default.temporaryDirectory.appending(path: "bisect-score-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let paths = ["output", "errors"].map { files.appending(path: $0) }
        for path in paths { try Data().write(to: path) }
        let handles = try paths.map { try FileHandle(forWritingTo: $0) }
        let inherited = GitEnvironment.withoutRepository(ProcessInfo.processInfo.environment)
        let start = TimeSource.live.now
        let process = try withExtendedLifetime(handles) {
            try ChildProcess.start(
                (folder.map { ["env", "-C", $0] } ?? []) + command,
                inherited.merging(environment) { $1 },
                zip(handles.map(\.fileDescriptor), [STDOUT_FILENO, STDERR_FILENO]).map { (own: $0, other: $1) }
            )
        }
        let status = ChildProcess.wait(process)?.status ?? -1
        let seconds = TimeSource.live.now.seconds(since: start)
        let texts = try paths.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return FinishedProgram(status: status, output: texts[0], errors: texts[1], seconds: seconds)
    }

    /// Runs a program that must succeed, and returns its output without the last end of line.
    static func output(
        _ command: [String],
        in folder: String? = nil,
        _ environment: [String: String] = [:]
    ) throws -> String {
        let finished = try run(command, in: folder, environment)
        guard finished.status == 0 else {
            throw Failure(
                message: "\(command.joined(separator: " ")) exited with \(finished.status): "
                    + String((finished.output + finished.errors).suffix(800))
            )
        }
        return finished.output.trimmingCharacters(in: .newlines)
    }
}
