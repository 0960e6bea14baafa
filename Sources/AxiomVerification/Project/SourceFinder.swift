// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import AxiomBase
package import AxiomSyntax
internal import Foundation

/// Finds the files that the arguments of the command line name.
package struct SourceFinder: Sendable {
    /// Folders that hold what a build made or a package manager fetched.
    private static let ignored: Set<String> = ["Build", "Carthage", "DerivedData", "Pods", "node_modules"]
    /// Files beyond this size are not source code that someone wrote.
    private static let limit = 64 << 20
    /// The folder that paths are relative to.
    package let root: String
    private let configuration: Configuration

    package init(root: String, configuration: Configuration) {
        self.root = root
        self.configuration = configuration
    }

    /// The files with the arguments that begin with `@` replaced by the lines of the file behind it.
    ///
    /// A response file has one path a line, relative to the root; empty lines do not count.
    package func expanded(_ arguments: [String]) throws(VerifyError) -> [String] {
        var result: [String] = []
        for argument in arguments {
            guard argument.hasPrefix("@") else {
                result.append(argument)
                continue
            }
            let path = String(argument.dropFirst())
            guard !path.isEmpty else { throw VerifyError("\"@\" names no file: write @FILE, with one path a line.") }
            let bytes = try Self.bytes(absolute(path), shown: path)
            guard let bytes else {
                throw VerifyError("There is no response file \(path): write one path a line into it.")
            }
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            result += lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        return result
    }

    /// The paths of the Swift files, relative to the root where they are below it, sorted, each once.
    ///
    /// A file that is named is taken whatever its name; in folders, files that end with `.swift` are. Hidden folders, folders of
    /// builds and excluded paths are left out.
    package func find(_ arguments: [String]) throws(VerifyError) -> [String] {
        var paths = Set<String>()
        for argument in try expanded(arguments) {
            guard !argument.isEmpty else { throw VerifyError("A path is empty: name a Swift file or a folder.") }
            let path = absolute(argument)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw VerifyError(
                    "There is no file or folder \(argument): name a Swift file or a folder with Swift files."
                )
            }
            if isFolder.boolValue {
                add(folder: path, shown: relative(path), to: &paths)
            } else if !configuration.excludes(relative(path)) {
                paths.insert(relative(path))
            }
        }
        return paths.sorted()
    }

    /// Reads files. The order is that of the paths.
    package func read(_ paths: [String]) throws(VerifyError) -> [SourceText] {
        var texts: [SourceText] = []
        texts.reserveCapacity(paths.count)
        for path in paths {
            let place = path.hasPrefix("/") ? path : "\(root)/\(path)"
            guard let bytes = try Self.bytes(place, shown: path) else {
                throw VerifyError("\(path) was removed while it was about to be read: run again.")
            }
            texts.append(SourceText(path: path, bytes: bytes))
        }
        return texts
    }

    private static func bytes(_ path: String, shown: String) throws(VerifyError) -> [UInt8]? {
        do throws(FileError) {
            return try FileBytes.read(path, limit: limit)
        } catch {
            let cause = error.cause.map { " (\($0))" } ?? ""
            throw VerifyError(
                "\(shown) cannot be read: \(error.message)\(cause). Make it readable, or exclude it in "
                    + "\(Configuration.fileName)."
            )
        }
    }

    /// - Parameters:
    ///   - folder: The path of a folder.
    ///   - shown: The path relative to the root.
    private func add(folder: String, shown: String, to paths: inout Set<String>) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            let shown = shown.isEmpty ? name : "\(shown)/\(name)"
            guard !configuration.excludes(shown) else { continue }
            var status = stat()
            // Symbolic links can lead back to a folder above.
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if !Self.ignored.contains(name) { add(folder: path, shown: shown, to: &paths) }
            } else if name.hasSuffix(".swift"), status.st_mode & S_IFMT == S_IFREG {
                paths.insert(shown)
            }
        }
    }

    private func absolute(_ path: String) -> String {
        URL(filePath: path.hasPrefix("/") ? path : "\(root)/\(path)").standardizedFileURL.path
    }

    /// A path relative to the root where it is below it; empty for the root.
    package func relative(_ path: String) -> String {
        let (path, base) = (absolute(path), URL(filePath: root).standardizedFileURL.path)
        guard path != base else { return "" }
        guard path.hasPrefix(base + "/") else { return path }
        return String(path.dropFirst(base.count + 1))
    }
}
#endif
