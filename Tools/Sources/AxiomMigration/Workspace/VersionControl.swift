// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What git knows of the folder that is migrated: a migration should be one commit that can be looked at and taken back.
package enum VersionControl {
    /// Makes sure that the changes of a migration can be told apart from others.
    ///
    /// - Throws: ``MigrationError`` outside of a repository, and if the folder has changes that are not committed.
    package static func check(_ root: String) throws(MigrationError) {
        let inside = try git(["rev-parse", "--is-inside-work-tree"], root)
        guard inside.status != 127 else {
            throw MigrationError(
                "git is not installed, so changes could not be told apart: install it, or use --allow-dirty."
            )
        }
        guard inside.succeeded else {
            throw MigrationError(
                "\(root) is not in a git repository: commit the files to one first, or use --allow-dirty."
            )
        }
        let status = try git(["status", "--porcelain", "--untracked-files=all", "-z", "--", "."], root)
        guard status.succeeded else {
            throw MigrationError(
                "git status failed in \(root): \(status.output.trimmed). Mend that, or use --allow-dirty."
            )
        }
        let paths = status.output.split(separator: "\0").map { String($0.dropFirst(3)) }
        guard let first = paths.min() else { return }
        let more = paths.count == 1 ? "" : " and \(paths.count - 1) more"
        throw MigrationError(
            "\(first)\(more) has changes that are not committed: commit or stash them, or use --allow-dirty."
        )
    }

    private static func git(_ arguments: [String], _ root: String) throws(MigrationError) -> Program.Result {
        try Program.run(["git"] + arguments, in: root, limit: 60)
    }
}
