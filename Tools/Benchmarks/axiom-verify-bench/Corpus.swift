// SPDX-License-Identifier: Apache-2.0

internal import AxiomVerification
internal import Foundation

/// Copies of a project in a folder of its own, with the facts of its warm runs.
struct Corpus {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    let fileCount: Int
    let byteCount: Int
    private let edited: URL

    /// Copies the files of the folders `Sources` and `Tests`, again and again with a number behind the name of the target,
    /// so that no two copies are one module.
    init(of project: String, files count: Int) throws {
        let root = URL(filePath: project).standardizedFileURL
        let finder = SourceFinder(root: root.path, configuration: Configuration())
        let folders = ["Sources", "Tests"].filter {
            FileManager.default.fileExists(atPath: root.appending(path: $0).path)
        }
        let paths = try finder.find(folders.isEmpty ? ["."] : folders)
        guard !paths.isEmpty else { throw Failure(description: "There are no Swift files in \(project).") }
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-verify-bench-\(UUID().uuidString)")
        var (bytes, last) = (0, folder)
        for index in 0..<count {
            let path = paths[index % paths.count]
            let data = try Data(contentsOf: root.appending(path: path))
            last = folder.appending(path: Self.copied(path, number: index / paths.count))
            try FileManager.default.createDirectory(
                at: last.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: last)
            bytes += data.count
        }
        (fileCount, byteCount, edited) = (count, bytes, last)
    }

    /// `Sources/Axiom/A.swift` as `Sources/Axiom2/A.swift`.
    private static func copied(_ path: String, number: Int) -> String {
        guard number > 0 else { return path }
        var parts = path.split(separator: "/").map(String.init)
        guard parts.count > 2 else { return "Sources/Copy\(number)/\(path)" }
        parts[1] += "\(number)"
        return parts.joined(separator: "/")
    }

    /// Adds a comment to a file.
    func edit() throws {
        let text = try String(contentsOf: edited, encoding: .utf8)
        try Data("\(text)// Edited.\n".utf8).write(to: edited)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
