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
