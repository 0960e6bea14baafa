// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

// What an earlier process left.
extension FileFolder {
    /// Completes the transaction that is decided, and removes the files of changes that are not.
    ///
    /// - Returns: What was set aside.
    func recover() throws -> StorageError? {
        let journal = file(FileJournal.fileName)
        var flaw: String?
        do {
            pending = try steps(journal)
        } catch Flaw.damaged(let reason) {
            flaw = reason
        } catch Flaw.newer(let version) {
            throw StorageError.newer(journal, version: version, known: 1)
        }
        flaw = flaw ?? pending.lazy.compactMap { self.flaw($0) }.first
        if let flaw { return try setAside(journal, flaw) }
        try completePending()
        for name in try folderContents() where Self.isUnfinished(name) { unlink(file(name)) }
        return nil
    }

    private func steps(_ journal: String) throws -> [FileStep] {
        let bytes: [UInt8]?
        do {
            bytes = try FileBytes.read(journal, limit: 1_073_741_824)
        } catch {
            throw StorageError.failed(journal, cause: error.whole)
        }
        return try bytes.map { try FileJournal.decode($0) } ?? []
    }

    /// What is wrong with the file of a step; nil if it can be carried out, or was.
    private func flaw(_ step: FileStep) -> String? {
        guard case .put(let name, let checksum) = step else { return nil }
        let path = access(unfinished(name), F_OK) == 0 ? unfinished(name) : file(name)
        guard let bytes = try? FileBytes.read(path, limit: .max), (try? ValueFile.decode(bytes)) != nil,
            (try? ValueFile.parse(bytes))?.checksum == checksum
        else { return "the new contents of \(name) are not there" }
        return nil
    }

    /// Moves the journal and all unfinished files to a folder beside the values.
    private func setAside(_ journal: String, _ reason: String) throws -> StorageError {
        let target = SetAside.target(file("journal"))
        try Self.create(target)
        for name in try folderContents() where Self.isUnfinished(name) {
            try SetAside.move(file(name), to: "\(target)/\(name)")
        }
        try SetAside.move(journal, to: "\(target)/journal")
        pending = []
        return .setAside(journal, as: target, because: reason, "Its transaction may have happened in part.")
    }

    private static func isUnfinished(_ name: String) -> Bool {
        let affix = ".unfinished"
        guard name.hasPrefix("."), name.hasSuffix(affix) else { return false }
        let target = String(name.dropFirst().dropLast(affix.count))
        return target == FileJournal.fileName || FileNames.meaning(target) != .none
    }
}
