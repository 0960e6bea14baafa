// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax
internal import Foundation

/// Takes a migration back.
package enum Rollback {
    /// Gives all files of a journal the bytes that they had before, and removes the journal.
    ///
    /// Nothing is written if a file changed since the migration. A file that has its original bytes already is left, so that a
    /// rollback or a migration that was interrupted can be rolled back again.
    ///
    /// - Returns: The paths of the files that were restored.
    package static func run(_ root: String) throws(MigrationError) -> [String] {
        guard let journal = try Journal.read(root) else {
            throw MigrationError("There is no \(Journal.fileName) in \(root): nothing to roll back.")
        }
        var pending: [Journal.File] = []
        var changed: [String] = []
        for file in journal.files {
            let bytes = try SourceFiles.read("\(root)/\(file.path)")
            if bytes == Array(file.original) { continue }
            let isAsLeft = bytes.map { ContentHash(of: $0).description == file.after } ?? false
            if isAsLeft { pending.append(file) } else { changed.append(file.path) }
        }
        guard changed.isEmpty else {
            throw MigrationError(
                "Changed since the migration: \(changed.joined(separator: ", ")). Take these changes back first, or restore "
                    + "the files from version control. Nothing was rolled back."
            )
        }
        for file in pending { try SourceFiles.write(Array(file.original), to: "\(root)/\(file.path)") }
        do {
            try FileManager.default.removeItem(atPath: "\(root)/\(Journal.fileName)")
        } catch {
            throw MigrationError("\(Journal.fileName) cannot be removed: \(error.localizedDescription)")
        }
        return pending.map(\.path)
    }
}
