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

/// The difference of two texts as a unified diff.
struct TextDiff {
    private typealias Line = (old: String?, new: String?)

    /// Unchanged lines before and after a change.
    private static let context = 3

    private let lines: [Line]

    /// Compares the lines of two texts.
    init(expected: String, actual: String) {
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        self.lines = Alignment.pairs(lines(expected), lines(actual)) { $0 }
    }

    /// The hunks, each with its positions and three lines around each change; empty if the texts are equal.
    var text: String {
        hunks.map { range in
            let (before, hunk) = (lines[..<range.lowerBound], lines[range])
            let old = Self.position(before.count { $0.old != nil }, hunk.count { $0.old != nil })
            let new = Self.position(before.count { $0.new != nil }, hunk.count { $0.new != nil })
            return (["@@ -\(old) +\(new) @@"] + hunk.flatMap(Self.texts)).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Lines that were paired by position may differ.
    private static func texts(_ line: Line) -> [String] {
        if let old = line.old, old == line.new { return [" \(old)"] }
        return [line.old.map { "-\($0)" }, line.new.map { "+\($0)" }].compactMap(\.self)
    }

    /// The lines of each hunk. Changes that are close to each other share one.
    private var hunks: [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].old != lines[index].new {
            let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }

    /// The first line, counted from 1, and the number of lines. An empty range has the line before it.
    private static func position(_ before: Int, _ count: Int) -> String {
        count == 0 ? "\(before),0" : "\(before + 1),\(count)"
    }
}
