// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import AxiomSyntax
internal import Foundation

/// The files that this branch changed since it left a revision of git, files that git does not know included. What the revision
/// has and the branch does not, another branch changed.
package struct ChangedFiles: Sendable, Hashable {
    /// Relative to the root of the run.
    package let paths: Set<String>

    /// Asks git.
    ///
    /// - Throws: ``VerifyError`` without git, outside of a repository, and for a revision that does not exist.
    package init(since revision: String, root: String) throws(VerifyError) {
        guard !revision.isEmpty, !revision.hasPrefix("-") else {
            throw VerifyError("--changed-since: \"\(revision)\" is no revision: name a commit, a branch or a tag.")
        }
        guard try Self.git(["rev-parse", "--show-toplevel"], root) != nil else {
            let said = try Self.output(["rev-parse", "--show-toplevel"], root).text
            throw VerifyError(
                ToolSupport.refusal(ofGit: said).map { "--changed-since: git refuses to work in \(root): \($0)" }
                    ?? "--changed-since: \(root) is not in a git repository: run in one, or leave the option out."
            )
        }
        guard try Self.git(["rev-parse", "--verify", "--quiet", "\(revision)^{commit}"], root) != nil else {
            throw VerifyError(
                "--changed-since: git knows no revision \(revision): fetch it (in CI with `fetch-depth: 0`), or name another."
            )
        }
        let base = try Self.git(["merge-base", "HEAD", revision], root)?.split(whereSeparator: \.isNewline).first
        // The paths of both are relative to the folder, and end with a zero byte, so names need no quotes.
        let since = base.map(String.init) ?? revision
        let changed = try Self.git(["diff", "--name-only", "--relative", "-z", since, "--"], root)
        let added = try Self.git(["ls-files", "--others", "--exclude-standard", "-z"], root)
        guard let changed, let added else {
            throw VerifyError("--changed-since: git could not compare with \(revision): run `git diff \(revision)`.")
        }
        paths = Set((changed + added).split(separator: "\0").map(String.init))
    }

    /// The verdict with the findings of changed files only. What cannot be read and what is stale stays.
    package func filter(_ verdict: ProjectVerdict) -> ProjectVerdict {
        var result = verdict
        result.findings = verdict.findings.filter { paths.contains($0.location.path) }
        result.accepted = verdict.accepted.filter { paths.contains($0.finding.location.path) }
        return result
    }

    /// - Returns: What git printed; nil if it failed.
    private static func git(_ arguments: [String], _ folder: String) throws(VerifyError) -> String? {
        let output = try output(arguments, folder, keepsErrors: false)
        return output.status == 0 ? output.text : nil
    }

    /// The output in the locale `C`, with what git writes to standard error unless it is dropped.
    private static func output(
        _ arguments: [String],
        _ folder: String,
        keepsErrors: Bool = true
    ) throws(VerifyError) -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["LC_ALL=C", "git", "-C", folder] + arguments
        process.environment = ToolSupport.withoutRepository(ProcessInfo.processInfo.environment)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = keepsErrors ? output as Any : FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw VerifyError("--changed-since needs git, which cannot be started: \(error.localizedDescription)")
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // 127 is what env says about a program that is not there.
        guard process.terminationStatus != 127 else {
            throw VerifyError("--changed-since needs git, which is not installed: install it, or leave the option out.")
        }
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
