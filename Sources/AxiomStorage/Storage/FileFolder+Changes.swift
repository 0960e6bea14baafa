// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

// Changes.
//
// 1. The new values are written and flushed under the names of unfinished files. If that fails, they are removed, and
//    nothing has happened.
// 2. The change is decided: for one key by the rename or the removal of its file, for several by the rename of the
//    journal.
// 3. The steps of the journal are carried out. They need no space. If one fails, the next operation tries again, and so
//    does the next process.
extension FileFolder {
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
        guard let entry = entries[key] else { return }
        // The limits do not apply: the bytes are stored already.
        if let bytes = try? FileBytes.read(file(entry.name), limit: .max) {
            do {
                return try carryOut([.put(target, Data(bytes)), .remove(key)])
            } catch let error as StorageError where error.code == .storageFull {}
        }
        try renameAside(entry, of: key, to: target)
    }

    /// Moves the file itself, which needs neither space nor its bytes. It is a damaged one under the other key too. A long key
    /// stands in its file, so a file with such a key leaves the storage.
    private func renameAside(_ entry: Entry, of key: StorageKey, to target: StorageKey) throws {
        let path = file(entry.name)
        let name = FileNames.name(target)
        // Nothing happens to a file that is gone.
        try SetAside.move(path, to: name.map { file($0) } ?? SetAside.target(path))
        bytes -= entry.size + (entries[target]?.size ?? 0)
        (entries[key], entries[target]) = (nil, nil)
        if let name, access(file(name), F_OK) == 0 {
            entries[target] = Entry(name: name, size: entry.size)
            bytes += entry.size
        }
        try flushFolder()
    }

    private func carryOut(_ changes: [StorageChange]) throws {
        let steps = try prepare(changes)
        if let step = steps.first, steps.count == 1 {
            try decide(step, changes)
        } else {
            try decide(steps, changes)
        }
    }

    /// The last change of each key, without removals of keys that are not there.
    private func effective(_ changes: [StorageChange]) -> [StorageChange] {
        var seen: Set<StorageKey> = []
        return changes.reversed().filter { change in
            guard seen.insert(change.key).inserted else { return false }
            if case .remove(let key) = change { return entries[key] != nil }
            return true
        }
        .reversed()
    }

    private func checkTotal(_ changes: [StorageChange]) throws(StorageError) {
        var (added, removed) = (0, 0)
        for change in changes {
            removed += entries[change.key]?.size ?? 0
            if case .put(let key, let data) = change { added += ValueFile.size(key, data) }
        }
        // A storage that is too large already may shrink.
        guard added > removed, bytes + added - removed > options.maximumBytes else { return }
        throw .limitReached(path, limit: options.maximumBytes)
    }

    // MARK: Preparing

    private func prepare(_ changes: [StorageChange]) throws(StorageError) -> [FileStep] {
        var steps: [FileStep] = []
        for change in changes { try checkReplaceable(change.key) }
        for change in changes {
            switch change {
            case .remove(let key):
                if let entry = entries[key] { steps.append(.remove(name: entry.name)) }
            case .put(let key, let data):
                let name = name(of: key)
                let (bytes, checksum) = ValueFile.encode(key, data)
                steps.append(.put(name: name, checksum: checksum))
                do {
                    try FileBytes.write(bytes, to: unfinished(name))
                } catch {
                    discard(steps)
                    throw StorageError(error, file(name))
                }
            }
        }
        return steps
    }

    /// A folder in the place of a value cannot be replaced or removed, and a decided transaction could not be carried out.
    private func checkReplaceable(_ key: StorageKey) throws(StorageError) {
        guard let name = entries[key]?.name ?? FileNames.name(key), isFolder(name) else { return }
        throw .failed(file(name), cause: "a folder is in the place of the value; remove it")
    }

    private func name(of key: StorageKey) -> String {
        if let name = entries[key]?.name ?? FileNames.name(key) { return name }
        lastNumber += 1
        return FileNames.name(key, number: lastNumber)
    }

    /// Removes the unfinished files of a change that does not happen.
    private func discard(_ steps: [FileStep]) {
        for case .put(let name, _) in steps { unlink(unfinished(name)) }
    }

    // MARK: Deciding

    /// Decides a change of one key.
    private func decide(_ step: FileStep, _ changes: [StorageChange]) throws(StorageError) {
        do {
            try perform(step)
        } catch {
            discard([step])
            throw error
        }
        note([step], changes)
        try flushFolder()
    }

    /// Decides a change of several keys.
    private func decide(_ steps: [FileStep], _ changes: [StorageChange]) throws(StorageError) {
        let (journal, draft) = (file(FileJournal.fileName), unfinished(FileJournal.fileName))
        do throws(FileError) {
            try FileBytes.write(FileJournal.encode(steps), to: draft)
            guard rename(draft, journal) == 0 else { throw FileError.system("replace", journal) }
            try FileBytes.flush(folder: path)
        } catch {
            // Without the journal nothing has happened.
            unlink(draft)
            guard unlink(journal) == 0 || errno == ENOENT else { throw StorageError(error, path) }
            discard(steps)
            throw StorageError(error, path)
        }
        note(steps, changes)
        pending = steps
        // What fails now is carried out before the next operation.
        try? completePending()
    }

    /// The change is decided.
    private func note(_ steps: [FileStep], _ changes: [StorageChange]) {
        for (step, change) in zip(steps, changes) {
            bytes -= entries[change.key]?.size ?? 0
            switch change {
            case .remove(let key): entries[key] = nil
            case .put(let key, let data):
                let size = ValueFile.size(key, data)
                entries[key] = Entry(name: step.name, size: size)
                bytes += size
            }
        }
    }

    // MARK: Carrying out

    /// Carries out the steps of a transaction that is decided. All of them can be repeated.
    func completePending() throws(StorageError) {
        guard !pending.isEmpty else { return }
        for step in pending { try perform(step) }
        try flushFolder()
        let journal = file(FileJournal.fileName)
        guard unlink(journal) == 0 || errno == ENOENT else {
            throw StorageError(FileError.system("remove", journal), journal)
        }
        // Otherwise a crash of the machine could restore the journal, and it would undo later changes.
        try flushFolder()
        pending = []
    }

    private func perform(_ step: FileStep) throws(StorageError) {
        let target = file(step.name)
        switch step {
        case .put(let name, _):
            if rename(unfinished(name), target) == 0 { return }
            // It was renamed before.
            guard errno == ENOENT, access(target, F_OK) == 0 else {
                throw StorageError(FileError.system("replace", target), target)
            }
        case .remove:
            guard unlink(target) == 0 || errno == ENOENT else {
                throw StorageError(FileError.system("remove", target), target)
            }
        }
    }

    private func flushFolder() throws(StorageError) {
        do {
            try FileBytes.flush(folder: path)
        } catch {
            throw StorageError(error, path)
        }
    }
}
