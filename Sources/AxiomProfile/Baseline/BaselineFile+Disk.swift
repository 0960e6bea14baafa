// SPDX-License-Identifier: Apache-2.0

extension BaselineFile {
    /// The largest file that is read, in bytes: 256 MiB.
    public static let sizeLimit = 256 << 20

    /// Reads a file.
    ///
    /// - Throws: ``ProfileError`` with the code `missingFile`, `fileSystem`, `damagedFile`, `foreignFile`, `newerFile`
    ///   or `editedFile`. The file is never touched.
    public static func load(from path: String) throws(ProfileError) -> BaselineFile {
        guard let bytes = try FileBytes.read(path, limit: sizeLimit) else {
            throw ProfileError(.missingFile, "there is no baseline at \(path): record one first")
        }
        return try BaselineFile(bytes: bytes, name: path)
    }

    /// Puts the file at `path`, whole or not at all: written beside, flushed, renamed, and the folder flushed, so that
    /// neither a killed process nor a crashed machine leaves a part. When this returns, the file will last.
    ///
    /// A killed process may leave one unfinished file, `.NAME.unfinished`, which the next save takes over; writers wait
    /// for each other. Where `path` is a symbolic link, its target is replaced.
    ///
    /// - Throws: ``ProfileError``; with the code `damagedFile`, `foreignFile`, `newerFile` or `editedFile` when such a
    ///   file is at `path`: it is left as it is, because it may be worth something to somebody.
    public func save(to path: String) throws(ProfileError) {
        let bytes = Array(try text().utf8)
        guard bytes.count <= Self.sizeLimit else {
            throw ProfileError(.invalidValue, "the baseline has \(bytes.count) bytes, more than \(Self.sizeLimit)")
        }
        let replacement = try FileReplacement(of: path)
        try replacement.replace(with: bytes) { (target) throws(ProfileError) in
            try Self.refuseToReplace(target)
        }
    }

    private static func refuseToReplace(_ path: String) throws(ProfileError) {
        do {
            _ = try load(from: path)
        } catch  where error.code == .missingFile {
        } catch {
            throw ProfileError(
                error.code,
                "\(path) was left as it is; move it away to write there",
                cause: error.description
            )
        }
    }
}
