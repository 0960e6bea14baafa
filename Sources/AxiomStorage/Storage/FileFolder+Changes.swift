// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// One step of a change of files that is decided.
struct FileStep: Codable, Hashable {
    let name: String
    /// The checksum of the new contents, which are already on the disk, under the name of an unfinished file. Nil if the
    /// file is removed.
    let checksum: UInt32?
}

// Changes.
//
// 1. The new values are written and flushed under the names of unfinished files. If that fails, they are removed, and
//    nothing has happened.
// 2. The change is decided: for one key by the rename or the removal of its file, for several by the rename of the
//    journal.
// 3. The steps of the journal are carried out. They need no space. If one fails, the next operation tries again, and so
//    does the next process.
extension FileFolder {
    static let journal = ".journal"

    func apply(_ changes: [StorageChange]) throws {
        try options.check(changes, of: path)
        try completePending()
        let changes = effective(changes)
        guard !changes.isEmpty else { return }
        try checkTotal(changes)
        try carryOut(changes)
    }

    func moveAside(_ key: StorageKey, to target: StorageKey) throws {
        try completePending()
        let name = FileNames.name(key)
        guard let entry = entries[name] else { return }
        let other = FileNames.name(target)
        // After a restart, the key of what was renamed to that of a long key is not known.
        guard FileNames.meaning(other) != .long || entries[other] == nil else {
            throw StorageError.failed(file(other), cause: "a value was set aside there before; remove the file")
        }
        // The limits do not apply: the bytes are stored already.
        if let bytes = try? FileBytes.read(file(name), limit: .max) {
            do {
                return try carryOut([.put(target, Data(bytes)), .remove(key)])
            } catch let error as StorageError where error.code == .storageFull {}
        }
        // The file itself, which needs neither space nor its bytes. It is a damaged one under the other key too.
        try SetAside.move(file(name), to: file(other))
        note(name, nil)
        // Nothing happens to a file that is gone.
        if access(file(other), F_OK) == 0 { note(other, Entry(key: target, size: entry.size)) }
        try Self.flush(folder: path)
    }

    private func carryOut(_ changes: [StorageChange]) throws {
        let steps = try prepare(changes)
        if steps.count == 1 { try decide(steps[0]) } else { try decide(steps) }
        for (step, change) in zip(steps, changes) {
            switch change {
            case .remove: note(step.name, nil)
            case .put(let key, let data): note(step.name, Entry(key: key, size: StoredFile.size(key, data)))
            }
        }
        guard steps.count > 1 else { return try Self.flush(folder: path) }
        pending = steps
        // What fails now is carried out before the next operation.
        try? completePending()
    }

    func note(_ name: String, _ entry: Entry?) {
        bytes += (entry?.size ?? 0) - (entries[name]?.size ?? 0)
        entries[name] = entry
    }

    /// The last change of each key, without removals of keys that are not there.
    private func effective(_ changes: [StorageChange]) -> [StorageChange] {
        var seen: Set<StorageKey> = []
        return changes.reversed().filter { change in
            guard seen.insert(change.key).inserted else { return false }
            if case .remove(let key) = change { return entries[FileNames.name(key)] != nil }
            return true
        }
        .reversed()
    }

    private func checkTotal(_ changes: [StorageChange]) throws(StorageError) {
        var (added, removed) = (0, 0)
        for change in changes {
            removed += entries[FileNames.name(change.key)]?.size ?? 0
            if case .put(let key, let data) = change { added += StoredFile.size(key, data) }
        }
        // A storage that is too large already may shrink.
        guard added > removed, bytes + added - removed > options.maximumBytes else { return }
        throw .limitReached(path, limit: options.maximumBytes)
    }

    /// Writes the new values under the names of unfinished files.
    private func prepare(_ changes: [StorageChange]) throws(StorageError) -> [FileStep] {
        var steps: [FileStep] = []
        for change in changes { try checkReplaceable(change.key) }
        guard Set(changes.map { FileNames.name($0.key) }).count == changes.count else {
            throw .failed(path, cause: "two keys of the change have the same checksum; use a shorter key")
        }
        for change in changes {
            let name = FileNames.name(change.key)
            guard case .put(let key, let data) = change else {
                steps.append(FileStep(name: name, checksum: nil))
                continue
            }
            let (bytes, checksum) = StoredFile.encode(key, data)
            steps.append(FileStep(name: name, checksum: checksum))
            do {
                try FileBytes.write(bytes, to: unfinished(name))
            } catch {
                discard(steps)
                throw StorageError(error, file(name))
            }
        }
        return steps
    }

    /// A folder in the place of a value cannot be replaced or removed, and a decided transaction could not be carried out. The
    /// value of another long key must stay.
    private func checkReplaceable(_ key: StorageKey) throws(StorageError) {
        let name = FileNames.name(key)
        var status = stat()
        if lstat(file(name), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw .failed(file(name), cause: "a folder is in the place of the value; remove it")
        }
        if FileNames.meaning(name) == .long, entries[name] != nil, let other = try keyInside(name), other != key,
            FileNames.name(other) == name
        {
            throw .failed(file(name), cause: "another key with the same checksum has this file; use a shorter key")
        }
    }

    /// Removes the unfinished files of a change that does not happen.
    private func discard(_ steps: [FileStep]) {
        for step in steps where step.checksum != nil { unlink(unfinished(step.name)) }
    }

    // MARK: Deciding and carrying out

    /// Decides a change of one key.
    private func decide(_ step: FileStep) throws(StorageError) {
        do {
            try perform(step)
        } catch {
            discard([step])
            throw error
        }
    }

    /// Decides a change of several keys.
    private func decide(_ steps: [FileStep]) throws {
        let (journal, draft) = (file(Self.journal), unfinished(Self.journal))
        let contents = try JSONEncoder().encode(steps)
        do throws(FileError) {
            try FileBytes.write(StoredFile.encode(StorageKey(Self.journal), contents).bytes, to: draft)
            guard rename(draft, journal) == 0 else { throw FileError.system("replace", journal) }
            try FileBytes.flush(folder: path)
        } catch {
            // Without the journal nothing has happened.
            unlink(draft)
            if unlink(journal) == 0 || errno == ENOENT { discard(steps) }
            throw StorageError(error, path)
        }
    }

    /// Carries out the steps of a transaction that is decided. All of them can be repeated.
    func completePending() throws(StorageError) {
        guard !pending.isEmpty else { return }
        for step in pending { try perform(step) }
        try Self.flush(folder: path)
        let journal = file(Self.journal)
        guard unlink(journal) == 0 || errno == ENOENT else {
            throw StorageError(FileError.system("remove", journal), journal)
        }
        // Otherwise a crash of the machine could restore the journal, and it would undo later changes.
        try Self.flush(folder: path)
        pending = []
    }

    func perform(_ step: FileStep) throws(StorageError) {
        let target = file(step.name)
        if step.checksum == nil {
            guard unlink(target) == 0 || errno == ENOENT else {
                throw StorageError(FileError.system("remove", target), target)
            }
        } else if rename(unfinished(step.name), target) != 0 {
            // It was renamed before.
            guard errno == ENOENT, access(target, F_OK) == 0 else {
                throw StorageError(FileError.system("replace", target), target)
            }
        }
    }
}
