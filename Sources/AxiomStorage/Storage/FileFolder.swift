// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// The folder of a ``FileStorage``. All calls block.
///
///     .lock                        locked as long as the folder is open
///     cart.value                   a value; see ``StoredFile`` and ``FileNames``
///     .cart.value.unfinished       a value that is being written
///     .journal                     the transaction of several keys that is being carried out: its steps
///     journal.damaged-2026-…       a journal that could not be used
final class FileFolder: StorageEngine {
    struct Entry {
        /// Nil for a long key that was not read yet, or whose first line is damaged.
        var key: StorageKey?
        let size: Int
    }

    let path: String
    let options: StorageOptions
    private let lock: FileLock
    /// The files of values by their names. Changed when a change is decided.
    var entries: [String: Entry] = [:]
    /// The size of all values' files.
    var bytes = 0
    /// The steps of a transaction that is decided and could not be carried out yet.
    var pending: [FileStep] = []

    /// Opens the folder, creates it if it does not exist, and completes the transaction that an earlier process decided.
    ///
    /// - Parameter noteSetAside: Receives the error that names a damaged journal, as soon as it is set aside.
    /// - Throws: ``StorageError``.
    init(_ path: String, _ options: StorageOptions, _ noteSetAside: (StorageError) -> Void) throws {
        (self.path, self.options) = (path, options)
        try Self.create(path)
        lock = try FileLock.ofStorage("\(path)/.lock")
        do throws(FileError) {
            try lock.lock(.exclusive, milliseconds: options.lockMilliseconds)
        } catch {
            // Some file systems have no locks. There, nothing keeps another process from the folder.
            guard [ENOLCK, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw StorageError(error, lock.path) }
        }
        if let error = try recover() { noteSetAside(error) }
        for name in try folderContents() {
            let meaning = FileNames.meaning(name)
            guard meaning != .none, let size = try size(name) else { continue }
            let key: StorageKey? = if case .key(let key) = meaning { key } else { nil }
            entries[name] = Entry(key: key, size: size)
            bytes += size
        }
    }

    func close() { lock.unlock() }

    var isLimited: Bool { false }
    var isInPlace: Bool { lock.isInPlace }

    /// Makes a folder if there is none, for this user only, and flushes the folders that got a new name.
    static func create(_ folder: String) throws(StorageError) {
        let parent = FilePath.folder(of: folder)
        var isMade = mkdir(folder, 0o700) == 0
        if !isMade, errno == ENOENT, !parent.isEmpty {
            try create(parent)
            isMade = mkdir(folder, 0o700) == 0
        }
        guard isMade else {
            let failure = FileError.system("create", folder)
            guard isFolder(folder) else { throw StorageError(failure, folder) }
            return
        }
        try flush(folder: parent.isEmpty ? "." : parent)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func flush(folder: String) throws(StorageError) {
        do { try FileBytes.flush(folder: folder) } catch { throw StorageError(error, folder) }
    }

    // MARK: Files

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A value that is being written.
    func unfinished(_ name: String) -> String { "\(path)/.\(name).unfinished" }

    func folderContents() throws(StorageError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .failed(path, cause: error.localizedDescription)
        }
    }

    /// The size of a regular file, and 0 for what else has the name: the read says what is wrong with it. Nil if nothing has
    /// the name.
    private func size(_ name: String) throws(StorageError) -> Int? {
        var status = stat()
        guard lstat(file(name), &status) == 0 else {
            if errno == ENOENT { return nil }
            throw StorageError(FileError.system("read", file(name)), path)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }

    /// The key in a file; nil if its first line is damaged, or if the file alone cannot be read.
    ///
    /// - Throws: ``StorageError`` if perhaps no file can be read.
    func keyInside(_ name: String) throws(StorageError) -> StorageKey? {
        do throws(FileError) {
            let start = try FileBytes.read(file(name), limit: .max, first: 65_536) ?? []
            if let key = StoredFile.key(start) { return key }
            guard start.count == 65_536 else { return nil }
            return try FileBytes.read(file(name), limit: .max).flatMap { StoredFile.key($0) }
        } catch {
            guard error.code == EIO || error.isOfOneFile(in: path) else {
                throw .failed(file(name), cause: error.message)
            }
            return nil
        }
    }

    // MARK: Reading

    func data(_ key: StorageKey) throws -> Data? {
        try completePending()
        let name = FileNames.name(key)
        guard let entry = entries[name] else { return nil }
        let path = file(name)
        do {
            guard let bytes = try FileBytes.read(path, limit: max(entry.size, 1_073_741_824)) else {
                throw Flaw.damaged("its file is gone")
            }
            let (found, data, _) = try StoredFile.decode(bytes)
            if found == key { return data }
            // Two long keys may have one name.
            guard FileNames.name(found) == name else { throw Flaw.damaged("it is that of another key") }
            return nil
        } catch Flaw.damaged(let reason) {
            throw StorageError.valueDamaged(key, path, because: reason)
        } catch Flaw.newer(let version) {
            throw StorageError.newer(path, version: version, known: StoredFile.format)
        } catch let error as FileError {
            if error.code == EIO { throw StorageError.valueDamaged(key, path, because: "the disk cannot read it") }
            guard error.isOfOneFile(in: self.path) else { throw StorageError.failed(path, cause: error.message) }
            throw StorageError.valueUnreadable(key, because: error)
        }
    }

    func keys(prefix: String) throws -> [StorageKey] {
        try completePending()
        for (name, entry) in entries where entry.key == nil {
            // A file that was moved aside has the key that it had.
            if let key = try keyInside(name), FileNames.name(key) == name { entries[name]?.key = key }
        }
        return entries.values.compactMap(\.key).filter { $0.hasPrefix(prefix) }.sorted()
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
        // Not in one transaction: its journal needs space. What cannot be removed stays.
        for key in try keys(prefix: "").filter(options.isDiscardable) {
            let step = FileStep(name: FileNames.name(key), checksum: nil)
            if (try? perform(step)) != nil { note(step.name, nil) }
        }
        try Self.flush(folder: path)
        return Int64(before - bytes)
    }
}

/// The names of the files of keys.
///
/// Lower-case letters, digits, `-` and `_` stand for themselves; each other byte is `%` and two hexadecimal digits, also
/// an upper-case letter, because some file systems ignore the case. So `orders/17` is `orders%2f17.value`. A name that
/// would be too long is cut, and gets `~` and a checksum of the key, which stands in the file.
enum FileNames {
    static let suffix = ".value"
    /// With the suffix, and the affixes of an unfinished file, a name stays below the 255 bytes of file systems.
    private static let limit = 180
    private static let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The key of a name.
    enum Meaning: Hashable {
        case key(StorageKey)
        /// The key is in the file.
        case long
        /// It is not the name of a value's file.
        case none
    }

    /// The name of the file of a key. Two long keys may have one name; each file contains its key.
    static func name(_ key: StorageKey) -> String {
        let text = encoded(key)
        guard text.utf8.count > limit else { return text + suffix }
        // FNV-1a.
        let sum = key.name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(sum, radix: 16)
        return "\(text.prefix(limit - 30))~\(String(repeating: "0", count: 16 - digits.count))\(digits)\(suffix)"
    }

    static func meaning(_ name: String) -> Meaning {
        guard name.hasSuffix(suffix) else { return .none }
        let stem = name.dropLast(suffix.count)
        if let key = decoded(String(stem)), Self.name(key) == name { return .key(key) }
        let parts = stem.split(separator: "~", omittingEmptySubsequences: false)
        let allowed = plain.union(CharacterSet(charactersIn: "%"))
        let digits = CharacterSet(charactersIn: "0123456789abcdef")
        guard parts.count == 2, parts[0].utf8.count == limit - 30, parts[1].utf8.count == 16,
            parts[0].unicodeScalars.allSatisfy(allowed.contains), parts[1].unicodeScalars.allSatisfy(digits.contains)
        else { return .none }
        return .long
    }

    static func encoded(_ key: StorageKey) -> String {
        (key.name.addingPercentEncoding(withAllowedCharacters: plain) ?? "").lowercased()
    }

    static func decoded(_ text: String) -> StorageKey? {
        // Foundation drops a byte order mark at the start of a text.
        "_\(text)".removingPercentEncoding.map { StorageKey(String($0.unicodeScalars.dropFirst())) }
    }
}
