// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file with the text that a test expects.
struct GoldenFile {
    /// Whether the environment asks for the files to be written.
    static var isRecording: Bool { ProcessInfo.processInfo.environment["AXIOM_RECORD"] == "1" }

    /// What came of a comparison or a recording.
    enum Outcome: Equatable {
        case equal
        case recorded(String)
        case failed(String)
    }

    let path: String

    /// - Parameters:
    ///   - name: A path relative to the folder of the source file, or an absolute one.
    ///   - source: The path of the source file that calls.
    init(_ name: String, besides source: String) {
        path = name.hasPrefix("/") ? name : URL(filePath: source).deletingLastPathComponent().appending(path: name).path
    }

    /// Compares `text` with the file, or writes it to the file if it differs and `isRecording` is true.
    func compare(_ text: String, isRecording: Bool) -> Outcome {
        let expected: String?
        do {
            expected = try contents()
        } catch {
            return .failed("The golden file \(path) cannot be read: \(error.localizedDescription)\n\(Self.remedy)")
        }
        if expected == text { return .equal }
        if isRecording { return record(text) }
        guard let expected else { return .failed("There is no golden file \(path).\n\(Self.remedy)") }
        let diff = TextDiff(expected: expected, actual: text).text
        return .failed("The page differs from \(path) (- expected, + recorded):\n\(diff)\n\(Self.remedy)")
    }

    private static let remedy = "If the new text is right, run the test with AXIOM_RECORD=1, and commit the file."

    /// Nil if there is no file.
    private func contents() throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    }

    private func record(_ text: String) -> Outcome {
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
        } catch {
            return .failed("The golden file \(path) cannot be written: \(error.localizedDescription)")
        }
        return .recorded("Recorded \(path). Read it, commit it, and run the test without AXIOM_RECORD.")
    }
}

/// The checker of Prometheus, if it is installed.
struct Promtool {
    let path: String

    /// Nil if no folder of `PATH` has it.
    init?(searching folders: String = ProcessInfo.processInfo.environment["PATH"] ?? "") {
        let paths = folders.split(separator: ":").map { "\($0)/promtool" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
        self.path = path
    }

    /// What is wrong with a page; nil if nothing is.
    ///
    /// The page and the answer are in files, because a program that reads and writes pipes may block.
    ///
    /// - Throws: If the program cannot run or a temporary file cannot be written.
    func problem(of page: String) async throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-promtool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "page"), folder.appending(path: "answer"))
        try Data(page.utf8).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["check", "metrics"]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forUpdating: output)
        guard try await Self.status(of: process) != 0 else { return nil }
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }

    /// Waits without blocking a thread.
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
