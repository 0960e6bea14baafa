// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import AxiomSyntax
package import Foundation

/// What a migration did: the file `axiom-migrate.json` at the root of the project.
package struct Journal: Sendable, Hashable, Codable {
    package static let fileName = "axiom-migrate.json"
    package static let schemaVersion = 1

    /// A file that the migration changed.
    package struct File: Sendable, Hashable, Codable {
        package var path: String
        /// The bytes before the first migration, in base 64.
        package var original: Data
        /// Tells whether the file is as the migration left it.
        package var after: String
    }

    package var schemaVersion = Journal.schemaVersion
    /// The version that was migrated to.
    package var to: String
    package var files: [File] = []
    /// The recipes that edited something, with the number of their edits.
    package var recipes: [String: Int] = [:]
    /// Recipes that were left out, because the project did not compile with them.
    package var leftOut: [RecipeRun.Unit] = []
    package var notes: [ManualNote] = []
    /// The errors of the compiler that are left.
    package var errors: [String] = []

    package init(to version: String) {
        to = version
    }

    /// Reads the journal of a project.
    ///
    /// - Returns: nil if there is none.
    package static func read(_ root: String) throws(MigrationError) -> Journal? {
        let path = "\(root)/\(fileName)"
        let bytes: [UInt8]?
        do throws(ToolSupport.FileFailure) {
            bytes = try ToolSupport.read(path, limit: 1 << 30)
        } catch {
            throw MigrationError(error.message)
        }
        guard let bytes else { return nil }
        let journal: Journal
        do {
            journal = try JSONDecoder().decode(Journal.self, from: Data(bytes))
        } catch {
            throw MigrationError(
                "\(fileName) is no journal of axiom-migrate: restore it from version control, or remove it."
            )
        }
        guard journal.schemaVersion == schemaVersion else {
            throw MigrationError(
                "\(fileName) has schemaVersion \(journal.schemaVersion), and this axiom-migrate reads \(schemaVersion): "
                    + "use the axiom-migrate that wrote it, or commit, and remove it."
            )
        }
        guard journal.files.allSatisfy({ !$0.path.split(separator: "/").contains("..") }) else {
            throw MigrationError("\(fileName) names files outside of the project: restore it from version control.")
        }
        return journal
    }

    /// Adds changes. A file that an earlier migration changed keeps its first original.
    ///
    /// - Throws: ``MigrationError`` if such a file was changed by someone else since: then it could not be rolled back.
    package mutating func add(_ changes: [RecipeRun.Change]) throws(MigrationError) {
        for change in changes {
            let after = ContentHash(of: change.new).description
            if let index = files.firstIndex(where: { $0.path == change.path }) {
                guard files[index].after == ContentHash(of: change.old).description else {
                    throw MigrationError(
                        "\(change.path) changed since the migration that \(Self.fileName) tells of: commit, remove "
                            + "\(Self.fileName), and run again."
                    )
                }
                files[index].after = after
            } else {
                files.append(File(path: change.path, original: Data(change.old), after: after))
            }
        }
        files.sort { $0.path < $1.path }
    }

    package func write(_ root: String) throws(MigrationError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(self)
            try SourceFiles.write(Array(data) + [UInt8(ascii: "\n")], to: "\(root)/\(Self.fileName)")
        } catch let error as MigrationError {
            throw error
        } catch {
            throw MigrationError("\(Self.fileName) cannot be encoded: \(error.localizedDescription)")
        }
    }
}
