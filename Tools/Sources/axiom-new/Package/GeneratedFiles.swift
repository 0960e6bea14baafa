// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import Foundation

/// Why nothing was written, and what to do about it.
struct ScaffoldError: Error, Hashable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// A file to write: its path relative to the package, and its text.
struct NewFile: Hashable {
    let path: String
    let text: String
}

/// New files of a package, and the line that registers a component. Either all are written, or none.
struct GeneratedFiles {
    private let files: [NewFile]
    private let folder: URL
    private let registration: Registration?

    init(_ files: [NewFile], in folder: URL, registration: Registration? = nil) {
        (self.files, self.folder, self.registration) = (files, folder, registration)
    }

    /// Writes the files and prints their paths. With `dryRun` prints their contents instead.
    ///
    /// - Throws: ``ScaffoldError`` if a type has a name that is taken, or if one of them exists or cannot be written; what was made by then is
    ///   removed, folders too.
    func write(dryRun: Bool) throws {
        try TypeNames.check(files)
        for file in files where FileManager.default.fileExists(atPath: folder.appending(path: file.path).path) {
            throw ScaffoldError(
                "\(folder.appending(path: file.path).path) exists already: remove it, or choose another name."
            )
        }
        guard !dryRun else {
            for file in files { print("// \(file.path)\n\(file.text)") }
            if let registration { print("// \(relative(registration.path))\n\(registration.text)") }
            return
        }
        var made: [URL] = []
        do throws(ToolSupport.FileFailure) {
            for file in files { try write(file, &made) }
            try registration?.write()
        } catch {
            // A folder is empty again after what was made in it.
            for url in made.reversed() { remove(url.path) }
            throw ScaffoldError("a file could not be written, so none was: \(error)")
        }
        for file in files { print("wrote   \(file.path)") }
        if let registration { print("changed \(relative(registration.path))") }
    }

    private func relative(_ path: String) -> String {
        path.hasPrefix(folder.path + "/") ? String(path.dropFirst(folder.path.count + 1)) : path
    }

    /// Writes a file, and adds it and the new folders above it to what was made.
    private func write(_ file: NewFile, _ made: inout [URL]) throws(ToolSupport.FileFailure) {
        let url = folder.appending(path: file.path)
        var missing: [URL] = []
        var parent = url.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            missing.append(parent)
            parent = parent.deletingLastPathComponent()
        }
        for parent in missing.reversed() {
            guard mkdir(parent.path, 0o777) == 0 else { throw ToolSupport.FileFailure.system("create", parent.path) }
            made.append(parent)
        }
        try ToolSupport.write(Array(file.text.utf8), to: url.path)
        made.append(url)
    }
}

/// The line that registers a component, above a comment that the template of an application has.
struct Registration {
    /// The comment.
    static let marker = "// axiom-new registers components above this line."

    /// The file that has the comment.
    let path: String
    /// Its new text.
    let text: String

    /// - Returns: Nil if not exactly one file below the folder has the comment.
    init?(_ line: String, in folder: URL) {
        let sources = SwiftSources(below: folder).filter { $0.text.contains(Self.marker) }
        guard sources.count == 1, let file = sources.first, let place = file.text.range(of: Self.marker) else {
            return nil
        }
        let indentation = String(
            file.text[..<place.lowerBound].reversed().prefix { $0 == " " || $0 == "\t" }.reversed()
        )
        let lineEnd = file.text.utf8.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
        path = file.path
        text = file.text.replacingCharacters(in: place, with: line + lineEnd + indentation + Self.marker)
    }

    func write() throws(ToolSupport.FileFailure) {
        try ToolSupport.write(Array(text.utf8), to: path)
    }
}

/// The Swift files below a folder, in the order of their paths.
struct SwiftSources: Sequence {
    struct File {
        let path: String
        let text: String
    }

    private let files: [File]

    init(below folder: URL) {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        files = paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            let url = folder.appending(path: path)
            // Decoded as it is: Foundation would drop a byte order mark.
            return (try? Data(contentsOf: url)).map { File(path: url.path, text: String(decoding: $0, as: UTF8.self)) }
        }
    }

    func makeIterator() -> IndexingIterator<[File]> { files.makeIterator() }
}
