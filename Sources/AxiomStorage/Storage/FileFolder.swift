// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// The folder of a ``FileStorage``. All calls block.
///
///     .lock                        locked as long as the folder is open
///     cart.value                   a value; see ``ValueFile`` and ``FileNames``
///     .cart.value.unfinished       a value that is being written
///     .journal                     the transaction of several keys that is being carried out; see ``FileJournal``
///     journal.damaged-2026-…       a journal that could not be used
final class FileFolder: StorageEngine {
    struct Entry {
        let name: String
        let size: Int
    }

    let path: String
    let options: StorageOptions
    private let lock: FileLock
    /// The files of the keys. Changed when a change is decided.
    var entries: [StorageKey: Entry] = [:]
    /// The size of all values' files.
    var bytes = 0
    /// The largest number in a name.
    var lastNumber = 0
    /// The steps of a transaction that is decided and could not be carried out yet.
    var pending: [FileStep] = []
    /// The files of long keys whose first line is damaged, so that their keys are not known.
    private var unreadable: [String] = []

    /// Opens the folder, creates it if it does not exist, and completes the transaction that an earlier process decided.
    ///
    /// - Parameter noteSetAside: Receives the error that names a damaged journal, as soon as it is set aside.
    /// - Throws: ``StorageError``.
    init(_ path: String, _ options: StorageOptions, _ noteSetAside: (StorageError) -> Void) throws {
        (self.path, self.options) = (path, options)
        try Self.create(path)
        lock = try FileLock.ofStorage("\(path)/.lock")
        try lock.hold(.exclusive, milliseconds: options.lockMilliseconds)
        if let error = try recover() { noteSetAside(error) }
        try readNames()
    }

    func close() { lock.unlock() }

    var isLimited: Bool { false }
    var isInPlace: Bool { lock.isInPlace }

    /// Makes a folder if there is none, for this user only, and flushes the folders that got a new name.
    ///
    /// - Throws: ``StorageError``.
    static func create(_ folder: String) throws(StorageError) {
        var missing: [String] = []
        var path = folder
        while !path.isEmpty, path != "/", access(path, F_OK) != 0 {
            missing.append(path)
            path = FilePath.folder(of: path)
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for path in missing {
                let parent = FilePath.folder(of: path)
                try FileBytes.flush(folder: parent.isEmpty ? "." : parent)
            }
        } catch let error as FileError {
            throw StorageError(error, folder)
        } catch {
            let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? 0
            throw .system(folder, error.localizedDescription, code: CInt(truncatingIfNeeded: code))
        }
    }

    // MARK: Names

    private func readNames() throws {
        let names = try folderContents()
        for name in names {
            let meaning = FileNames.meaning(name)
            guard meaning != .none, let size = Self.size(of: file(name)) else { continue }
            let key: StorageKey?
            switch meaning {
            case .key(let known): key = known
            case .numbered(let number):
                lastNumber = max(lastNumber, number)
                key = try keyInside(name)
            case .none: key = nil
            }
            bytes += size
            if let key { entries[key] = Entry(name: name, size: size) } else { unreadable.append(name) }
        }
    }

    func folderContents() throws(StorageError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .failed(path, cause: error.localizedDescription)
        }
    }

    /// The size of a regular file; nil if the path is not one.
    private static func size(of path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The key in a file; nil if its first line is damaged.
    private func keyInside(_ name: String) throws -> StorageKey? {
        guard let handle = FileHandle(forReadingAtPath: file(name)) else { return nil }
        defer { try? handle.close() }
        do {
            let start = try handle.read(upToCount: ValueFile.headerLimit) ?? Data()
            let line = start.prefix { $0 != UInt8(ascii: "\n") }.count + 1
            let length = try ValueFile.parse(start).key
            try handle.seek(toOffset: UInt64(line))
            let bytes = try handle.read(upToCount: length) ?? Data()
            return String(validating: bytes, as: UTF8.self).map { StorageKey($0) }
        } catch Flaw.newer {
            try checkNewer(name)
            return nil
        } catch {
            return nil
        }
    }

    /// - Throws: ``StorageError`` if the file is that of a newer version, and not one of this version that is damaged.
    private func checkNewer(_ name: String) throws(StorageError) {
        guard let bytes = try? FileBytes.read(file(name), limit: .max) else { return }
        do {
            _ = try ValueFile.decode(bytes)
        } catch {
            guard case .newer(let version) = error else { return }
            throw .newer(file(name), version: version, known: ValueFile.format)
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A value that is being written.
    func unfinished(_ name: String) -> String { "\(path)/.\(name).unfinished" }

    // MARK: Reading

    func data(_ key: StorageKey) throws -> Data? {
        try completePending()
        guard let entry = entries[key] else {
            guard FileNames.name(key) == nil, let name = unreadable.first else { return nil }
            throw StorageError.valueDamaged(
                key,
                file(name),
                because: "this may be its file, and the first line is damaged"
            )
        }
        let path = file(entry.name)
        do {
            guard let bytes = try FileBytes.read(path, limit: max(entry.size, 1_073_741_824)) else {
                throw Flaw.damaged("its file is gone")
            }
            let (found, data) = try ValueFile.decode(bytes)
            guard found == key else { throw Flaw.damaged("it is that of another key") }
            return data
        } catch Flaw.damaged(let reason) {
            throw StorageError.valueDamaged(key, path, because: reason)
        } catch Flaw.newer(let version) {
            throw StorageError.newer(path, version: version, known: ValueFile.format)
        } catch let error as FileError {
            if error.code == EIO { throw StorageError.valueDamaged(key, path, because: "the disk cannot read it") }
            guard error.isOfOneFile(in: self.path) else { throw StorageError.failed(path, cause: error.whole) }
            throw StorageError.valueUnreadable(key, because: error)
        }
    }

    func keys(prefix: String) throws -> [StorageKey] {
        try completePending()
        return entries.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    // MARK: Capability

    func checkWritable() throws {
        try completePending()
        try WritableProbe.check(file(".writable"), of: path)
    }

    /// Removes the keys that can be made again if the disk is critically short of space.
    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) throws -> Int64 {
        guard resource == .storage, pressure == .critical else { return 0 }
        let before = bytes
        try apply(entries.keys.filter(options.isDiscardable).map { .remove($0) })
        return Int64(before - bytes)
    }
}
