// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The repository of git that a project is in.
package struct Repository: Sendable, Hashable {
    /// The path from the root of the repository to the project, ending with a slash; empty if they are the same.
    package let prefix: String
    private let top: String

    /// Finds the nearest folder with `.git`, which is a file in a worktree.
    ///
    /// - Returns: nil outside of a repository.
    package init?(around root: String) {
        let root = URL(filePath: root).standardizedFileURL.path
        var top = root
        while !FileManager.default.fileExists(atPath: top == "/" ? "/.git" : top + "/.git") {
            guard top != "/" else { return nil }
            top = URL(filePath: top).deletingLastPathComponent().path
        }
        self.top = top == "/" ? "" : top
        prefix = top == root ? "" : String(root.dropFirst(self.top.count + 1)) + "/"
    }

    /// A path of the project, relative to the repository where it is in it.
    package func path(of path: String) -> String {
        guard path.hasPrefix("/") else { return Self.plain(prefix + path) }
        return path.hasPrefix(top + "/") ? String(path.dropFirst(top.count + 1)) : path
    }

    /// The path without `.` and `..` where it can be.
    private static func plain(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
