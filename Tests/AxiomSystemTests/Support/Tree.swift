// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// A folder with files for one test, removed with the object.
final class Tree {
    /// Its absolute path.
    let path: String

    /// Makes an empty folder that all users may enter.
    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "axiom-system-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o755)
    }

    /// Copies a tree of the folder Trees.
    convenience init(recorded name: String) throws {
        try self.init()
        let file = Repository.root.appending(path: "Tests/AxiomSystemTests/Trees/\(name).txt")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            try add(line)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file; the folders above it are made.
    func write(_ file: String, _ text: String) throws {
        try Data(text.utf8).write(to: url(file))
    }

    /// Removes a file or a folder.
    func remove(_ file: String) throws {
        try FileManager.default.removeItem(at: url(file))
    }

    private func add(_ line: Substring) throws {
        guard let mark = line.firstIndex(where: { "=|>".contains($0) }) else {
            try FileManager.default.createDirectory(at: url(String(line)), withIntermediateDirectories: true)
            return
        }
        let (file, rest) = (String(line[..<mark]), String(line[line.index(after: mark)...]))
        switch line[mark] {
        case "|": mkfifo(try url(file).path, 0o644)
        case ">": symlink(rest, try url(file).path)
        default: try write(file, rest + "\n")
        }
    }

    private func url(_ file: String) throws -> URL {
        let url = URL(filePath: path).appending(path: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return url
    }
}
