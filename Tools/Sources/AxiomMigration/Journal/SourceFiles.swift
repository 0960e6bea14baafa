// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
package import AxiomSyntax
internal import Foundation

/// Finds, reads and writes Swift files.
package enum SourceFiles {
    /// Folders that hold what a build made or a package manager fetched.
    private static let ignored: Set<String> = ["Build", "Carthage", "DerivedData", "Pods", "node_modules"]
    private static let limit = 64 << 20

    /// Reads files and the Swift files in folders, each once, in order of their paths.
    ///
    /// Hidden folders and symbolic links are left out: a link leads to a file that is read under its own path, or to another
    /// project.
    ///
    /// - Parameter root: The folder that paths are relative to. Files outside of it are refused.
    package static func find(_ arguments: [String], root: String) throws(MigrationError) -> [SourceText] {
        var paths: Set<String> = []
        for argument in arguments {
            let path = URL(filePath: argument.hasPrefix("/") ? argument : "\(root)/\(argument)").standardizedFileURL
                .path
            let base = URL(filePath: root).standardizedFileURL.path
            guard path == base || path.hasPrefix(base + "/") else {
                throw MigrationError("\(argument) is outside of \(root): run in its project, or give --root.")
            }
            var isFolder: ObjCBool = false
            guard !argument.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw MigrationError(
                    "There is no file or folder \"\(argument)\": name a Swift file or a folder with some."
                )
            }
            let relative = path == base ? "" : String(path.dropFirst(base.count + 1))
            guard isFolder.boolValue || path.hasSuffix(".swift") else {
                throw MigrationError("\(argument) is no Swift file: name a Swift file or a folder with some.")
            }
            if isFolder.boolValue { try add(relative, root: root, to: &paths) } else { paths.insert(relative) }
        }
        guard !paths.isEmpty else {
            throw MigrationError("There is no Swift file in \(arguments.joined(separator: ", ")): name another folder.")
        }
        var texts: [SourceText] = []
        for path in paths.sorted() {
            guard let bytes = try read("\(root)/\(path)") else {
                throw MigrationError("\(path) was removed while it was about to be read: run again.")
            }
            texts.append(SourceText(path: path, bytes: bytes))
        }
        return texts
    }

    private static func add(_ folder: String, root: String, to paths: inout Set<String>) throws(MigrationError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? root : "\(root)/\(folder)")
        } catch {
            throw MigrationError("\(folder.isEmpty ? root : folder) cannot be read: \(error.localizedDescription)")
        }
        for name in names where !name.hasPrefix(".") {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where !ignored.contains(name): try add(path, root: root, to: &paths)
            case S_IFREG where name.hasSuffix(".swift"): paths.insert(path)
            default: break
            }
        }
    }

    static func read(_ path: String) throws(MigrationError) -> [UInt8]? {
        do throws(ToolSupport.FileFailure) {
            return try ToolSupport.read(path, limit: limit)
        } catch {
            throw MigrationError(error.message)
        }
    }

    /// Replaces a file as a whole; its mode stays.
    static func write(_ bytes: [UInt8], to path: String) throws(MigrationError) {
        do throws(ToolSupport.FileFailure) {
            try ToolSupport.write(bytes, to: path)
        } catch {
            throw MigrationError(error.message)
        }
    }

    /// Makes sure that no file changed since it was read. Called before anything is written.
    package static func checkUnchanged(_ changes: [RecipeRun.Change], root: String) throws(MigrationError) {
        for change in changes {
            guard try read("\(root)/\(change.path)") == change.old else {
                throw MigrationError(
                    "\(change.path) changed while it was migrated: commit the change or take it back, and run again. "
                        + "Nothing was written."
                )
            }
        }
    }

    /// Writes changed files.
    package static func write(_ changes: [RecipeRun.Change], root: String) throws(MigrationError) {
        for change in changes { try write(change.new, to: "\(root)/\(change.path)") }
    }
}
