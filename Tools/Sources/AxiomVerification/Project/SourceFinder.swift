// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
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
    /// builds and excluded paths are left out. Symbolic links are followed; a file that several paths lead to is taken once.
    package func find(_ arguments: [String]) throws(VerifyError) -> [String] {
        var found = Found()
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
                try add(folder: path, shown: relative(path), to: &found)
            } else if !configuration.excludes(relative(path)) {
                found.add(path, shown: relative(path))
            }
        }
        try follow(&found)
        return found.paths.sorted()
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
        do throws(ToolSupport.FileFailure) {
            return try ToolSupport.read(path, limit: limit)
        } catch {
            throw VerifyError(
                "\(shown) cannot be read: \(error). Make it readable, or exclude it in "
                    + "\(Configuration.fileName)."
            )
        }
    }

    /// What was found so far.
    private struct Found {
        var paths = Set<String>()
        /// The real paths of files and folders.
        var real = Set<String>()
        /// Symbolic links, which are followed after all else, so that a file is shown by its own path.
        var links: [(path: String, shown: String)] = []

        mutating func add(_ path: String, shown: String) {
            if real.insert(SourceFinder.realPath(path) ?? path).inserted { paths.insert(shown) }
        }
    }

    /// - Parameters:
    ///   - folder: The path of a folder.
    ///   - shown: The path relative to the root.
    private func add(folder: String, shown: String, to found: inout Found) throws(VerifyError) {
        guard found.real.insert(Self.realPath(folder) ?? folder).inserted else { return }
        for name in try names(in: folder, shown: shown) where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            let shown = shown.isEmpty ? name : "\(shown)/\(name)"
            guard !configuration.excludes(shown) else { continue }
            var status = stat()
            guard lstat(path, &status) == 0 else { throw Self.unreadable(shown, String(cString: strerror(errno))) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where !Self.ignored.contains(name): try add(folder: path, shown: shown, to: &found)
            case S_IFREG where name.hasSuffix(".swift"): found.add(path, shown: shown)
            case S_IFLNK: found.links.append((path, shown))
            default: break
            }
        }
    }

    /// Follows links, and the links in the folders behind them. A link to a folder above itself is left out.
    private func follow(_ found: inout Found) throws(VerifyError) {
        while !found.links.isEmpty {
            let links = found.links.sorted { $0.shown < $1.shown }
            found.links = []
            for (path, shown) in links {
                let name = shown.split(separator: "/").last.map(String.init) ?? shown
                guard let target = Self.realPath(path) else {
                    guard name.hasSuffix(".swift") else { continue }
                    throw Self.unreadable(shown, "it is a symbolic link to nothing")
                }
                var status = stat()
                if stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
                    if name.hasSuffix(".swift") { found.add(path, shown: shown) }
                } else if !Self.ignored.contains(name), !Self.isAbove(target, path) {
                    try add(folder: path, shown: shown, to: &found)
                }
            }
        }
    }

    private static func isAbove(_ folder: String, _ path: String) -> Bool {
        guard let own = realPath(URL(filePath: path).deletingLastPathComponent().path) else { return false }
        return own == folder || own.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// Where a file below a folder is if links lead out of the folder; nil if it is in there.
    static func placeOutside(_ folder: String, of path: String) -> String? {
        guard let real = realPath(path), let root = realPath(folder), !real.hasPrefix(root == "/" ? root : root + "/")
        else { return nil }
        return real
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private func names(in folder: String, shown: String) throws(VerifyError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw Self.unreadable(shown.isEmpty ? folder : shown, error.localizedDescription)
        }
    }

    private static func unreadable(_ path: String, _ cause: String) -> VerifyError {
        VerifyError("\(path) cannot be read (\(cause)): make it readable, or exclude it in \(Configuration.fileName).")
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
