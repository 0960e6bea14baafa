// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BaselineFile {
    /// The largest file that is read, in bytes: 256 MiB.
    static let sizeLimit = 256 << 20

    /// Reads a file and never changes it.
    ///
    /// - Throws: ``ProfileError`` with the code `missingFile`, `fileSystem`, `damagedFile`, `foreignFile`, `newerFile`
    ///   or `editedFile`.
    public static func load(from path: String) throws(ProfileError) -> BaselineFile {
        let bytes: [UInt8]?
        do { bytes = try FileBytes.read(path, limit: sizeLimit) } catch { throw ProfileError(error) }
        guard let bytes else {
            throw ProfileError(.missingFile, "there is no baseline at \(path): record one first")
        }
        return try BaselineFile(bytes: bytes, name: path)
    }

    /// Writes the file to `path`, whole or not at all: neither a killed process nor a crashed machine leaves a part of
    /// it. Once this returns, the file outlives a crash.
    ///
    /// Writers of one file wait for each other. A killed process may leave one unfinished file, `.NAME.unfinished`, which
    /// the next save replaces. If `path` is a symbolic link, its target is replaced.
    ///
    /// - Throws: ``ProfileError``. With the code `damagedFile`, `foreignFile`, `newerFile` or `editedFile` there is such
    ///   a file at `path`, and it is left as it is.
    public func save(to path: String) throws(ProfileError) {
        let bytes = Array(try text().utf8)
        guard bytes.count <= Self.sizeLimit else {
            throw ProfileError(.invalidValue, "the baseline has \(bytes.count) bytes, more than \(Self.sizeLimit)")
        }
        do {
            var file = try AtomicFile(path)
            try Self.checkReplaceable(file.target)
            try file.write(bytes)
        } catch let error as FileError {
            throw ProfileError(error)
        } catch let error as ProfileError {
            throw error
        } catch {
            throw ProfileError(.fileSystem, "could not write \(path)", cause: "\(error)")
        }
    }

    private static func checkReplaceable(_ path: String) throws(ProfileError) {
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

extension ProfileError {
    init(_ error: FileError) { self.init(.fileSystem, error.message) }
}
