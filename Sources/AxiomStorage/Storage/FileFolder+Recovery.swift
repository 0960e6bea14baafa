// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

// What an earlier process left.
extension FileFolder {
    /// Completes the transaction that is decided, and removes the files of changes that are not.
    ///
    /// - Returns: What was set aside.
    func recover() throws -> StorageError? {
        let journal = file(Self.journal)
        do {
            pending = try FileBytes.read(journal, limit: 1_073_741_824).map { try Self.steps($0) } ?? []
            for step in pending { try check(step) }
        } catch Flaw.damaged(let reason) {
            return try setAside(journal, reason)
        } catch Flaw.newer(let version) {
            throw StorageError.newer(journal, version: version, known: StoredFile.format)
        } catch let error as FileError {
            throw StorageError.failed(journal, cause: error.message)
        }
        try completePending()
        for name in try folderContents() where Self.isUnfinished(name) { unlink(file(name)) }
        return nil
    }

    /// The steps of a journal.
    static func steps(_ bytes: [UInt8]) throws(Flaw) -> [FileStep] {
        let contents = try StoredFile.decode(bytes).data
        // A name stays inside of the folder.
        guard let steps = try? JSONDecoder().decode([FileStep].self, from: contents),
            steps.allSatisfy({ FileNames.meaning($0.name) != .none })
        else { throw .damaged("it has an unknown step") }
        return steps
    }

    /// - Throws: ``Flaw`` if the step can neither be carried out, nor was; `FileError` if that is not known now.
    private func check(_ step: FileStep) throws {
        guard let checksum = step.checksum else { return }
        let path = access(unfinished(step.name), F_OK) == 0 ? unfinished(step.name) : file(step.name)
        var bytes: [UInt8]?
        do {
            bytes = try FileBytes.read(path, limit: .max)
        } catch  where error.isShortage {
            throw error
        } catch {}
        guard let bytes, (try? StoredFile.decode(bytes).checksum) == checksum else {
            throw Flaw.damaged("the new contents of \(step.name) are not there")
        }
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
        return target == journal || FileNames.meaning(target) != .none
    }
}
