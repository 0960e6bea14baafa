// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A copy of a project in which migrated files are built.
///
/// It stands beside the project where it can, so that relative paths to other packages stay right. What a build made and what
/// version control keeps is not copied.
package final class WorkingCopy {
    /// The result of a build.
    package struct Build: Sendable, Hashable {
        package var succeeded: Bool
        /// The lines of the compiler that are errors, each once, with paths relative to the project.
        package var errors: [String]
        /// The last lines of the output, for a build that fails without an error of the compiler.
        package var tail: String

        package init(succeeded: Bool, errors: [String], tail: String) {
            self.succeeded = succeeded
            self.errors = errors
            self.tail = tail
        }
    }

    package let folder: String
    private let command: String
    private let limit: TimeInterval
    /// The original bytes of files that differ from the project now.
    private var originals: [String: [UInt8]] = [:]

    /// Copies the project.
    ///
    /// - Parameters:
    ///   - command: Builds the project, run by `sh` in the copy.
    ///   - minutes: How long a build may take.
    package init(of root: String, command: String, minutes: Int) throws(MigrationError) {
        self.command = command
        limit = TimeInterval(minutes * 60)
        folder = Self.place(beside: root)
        Interruption.expect()
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: root) where !Self.isLeftOut(name) {
                try FileManager.default.copyItem(atPath: "\(root)/\(name)", toPath: "\(folder)/\(name)")
            }
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw MigrationError("\(root) cannot be copied to \(folder): \(error.localizedDescription)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func place(beside root: String) -> String {
        let url = URL(filePath: root)
        let name = ".axiom-migrate-\(url.lastPathComponent)-\(ProcessInfo.processInfo.processIdentifier)"
        let parent = url.deletingLastPathComponent()
        let base =
            FileManager.default.isWritableFile(atPath: parent.path) ? parent : FileManager.default.temporaryDirectory
        return base.appending(path: name).path
    }

    private static func isLeftOut(_ name: String) -> Bool {
        name.hasPrefix(".build") || name.hasPrefix(".axiom-migrate")
            || [".git", ".hg", ".swiftpm", "DerivedData", "node_modules"].contains(name)
    }

    /// Makes the copy the project with these changes, and builds it.
    package func build(_ changes: [RecipeRun.Change]) throws(MigrationError) -> Build {
        do {
            for (path, bytes) in originals { try Data(bytes).write(to: URL(filePath: "\(folder)/\(path)")) }
            originals = [:]
            for change in changes where !change.path.hasPrefix("/") {
                originals[change.path] = change.old
                try Data(change.new).write(to: URL(filePath: "\(folder)/\(change.path)"))
            }
        } catch {
            throw MigrationError("The copy in \(folder) cannot be written: \(error.localizedDescription)")
        }
        let result = try Program.run(["sh", "-c", command], in: folder, limit: limit)
        if result.isTimedOut {
            throw MigrationError(
                "\(command) took more than \(Int(limit / 60)) minutes: give more with --minutes, or another command with --build."
            )
        }
        guard result.status != 127 else {
            throw MigrationError("\(command) cannot be started (127): name a command with --build, or use --no-check.")
        }
        return Build(
            succeeded: result.succeeded,
            errors: errors(in: result.output),
            tail: result.output.split(separator: "\n").suffix(10).joined(separator: "\n")
        )
    }

    private func errors(in output: String) -> [String] {
        var seen: Set<String> = []
        return output.split(separator: "\n").map { String($0).replacing(folder + "/", with: "") }
            .filter { $0.contains(": error: ") && seen.insert($0).inserted }
    }
}
