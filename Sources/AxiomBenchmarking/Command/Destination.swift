// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The path of a file that is to be written.
struct Destination {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Why nothing can be written there, with the remedy; nil where it can. Folders that are missing may be made.
    var problem: String? {
        guard !path.isEmpty else { return "the path is empty: name a file" }
        if isFolder(path) || path.hasSuffix("/") { return "\(path) is a folder: name a file in it" }
        if FileManager.default.fileExists(atPath: path) {
            return access(path, W_OK) == 0 ? nil : "\(path) may not be written: \(reason); name another file"
        }
        var folder = URL(filePath: path).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
        }
        guard isFolder(folder.path) else { return "\(folder.path) is no folder, so that \(path) cannot be written" }
        return access(folder.path, W_OK) == 0
            ? nil : "nothing may be written in \(folder.path): \(reason); name a file elsewhere"
    }

    /// Writes a text, making folders; whole or not at all, unless the path is that of a device or a pipe.
    func write(_ text: String) throws(BenchmarkError) {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            var status = stat()
            let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
            guard isSpecial else { return try text.write(toFile: path, atomically: true, encoding: .utf8) }
            let handle = try FileHandle(forWritingTo: URL(filePath: path))
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw BenchmarkError(.usage, "could not write \(path): name another file", cause: "\(error)")
        }
    }

    private var reason: String { String(cString: strerror(errno)) }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
