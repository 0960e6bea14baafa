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
    /// The files of long keys that are not known: with the reason if the file cannot be read, otherwise its first line is
    /// damaged.
    private var unreadable: [(name: String, error: FileError?)] = []

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
        for name in try folderContents() {
            let meaning = FileNames.meaning(name)
            guard meaning != .none, let size = Self.size(of: file(name)) else { continue }
            bytes += size
            switch meaning {
            case .key(let key): entries[key] = Entry(name: name, size: size)
            case .numbered(let number): try readKey(Entry(name: name, size: size), number)
            case .none: break
            }
        }
    }

    /// Finds the key of a numbered file.
    private func readKey(_ entry: Entry, _ number: Int) throws {
        lastNumber = max(lastNumber, number)
        do {
            guard let key = try keyInside(entry.name) else { return unreadable.append((entry.name, nil)) }
            // Of two files of one key, the later one was written while the other could not be read.
            if let known = entries[key], case .numbered(let other) = FileNames.meaning(known.name), other > number {
                return
            }
            entries[key] = entry
        } catch let error as FileError {
            guard error.code == ENOENT || error.isOfOneFile(in: path) else {
                throw StorageError.failed(file(entry.name), cause: error.whole)
            }
            unreadable.append((entry.name, error))
        }
    }

    func folderContents() throws(StorageError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .failed(path, cause: error.localizedDescription)
        }
    }

    /// The size of a regular file, and 0 for what else has the name: the read says what is wrong with it. Nil if nothing has
    /// the name.
    private static func size(of path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }

    /// Whether a folder has the name of a file. It cannot be replaced.
    func isFolder(_ name: String) -> Bool {
        var status = stat()
        return lstat(file(name), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// - Throws: ``FileError`` if the file cannot be opened, or is not a regular one.
    private static func opened(_ path: String) throws(FileError) -> FileHandle {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("read", path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("\(path) is not a regular file: give the path of a file")
        }
        return handle
    }

    /// The key in a file; nil if its first line is damaged.
    ///
    /// - Throws: ``FileError`` if the file cannot be read; ``StorageError`` if a newer version wrote it.
    private func keyInside(_ name: String) throws -> StorageKey? {
        let handle = try Self.opened(file(name))
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
            guard FileNames.name(key) == nil, !unreadable.isEmpty else { return nil }
            throw unreadableError(key)
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

    /// The error for a long key that is in no file whose key is known.
    private func unreadableError(_ key: StorageKey) -> StorageError {
        for case (let name, let error?) in unreadable {
            let message = "\(file(name)) may be its file: \(error.message)"
            return .valueUnreadable(key, because: FileError(message, cause: error.cause, code: error.code))
        }
        let path = file(unreadable.first?.name ?? "")
        return .valueDamaged(key, path, because: "this may be its file, and the first line is damaged")
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
        let discarded = entries.filter { options.isDiscardable($0.key) && !isFolder($0.value.name) }
        try apply(discarded.keys.map { .remove($0) })
        return Int64(before - bytes)
    }
}
