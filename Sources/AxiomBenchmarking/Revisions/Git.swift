// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// The version control of a folder.
struct Git {
    let folder: String

    /// The output of a git command without the last line feed; nil if it failed.
    func ask(_ arguments: String...) -> String? { output(arguments) }

    /// The same for a checkout of the tool, at which no hook of the user runs.
    func askWithoutHooks(_ arguments: String...) -> String? { output(["-c", "core.hooksPath=/dev/null"] + arguments) }

    private func output(_ arguments: [String]) -> String? {
        guard let output = try? ProgramOutput.run(["git", "-C", folder] + arguments, errors: .dropped),
            output.status == 0
        else { return nil }
        return output.text.hasSuffix("\n") ? String(output.text.dropLast()) : output.text
    }

    /// What git says if it refuses to work in a repository, as in a folder of another user: its reason and its last line,
    /// which is the remedy. Nil if it works, and where there is no repository.
    var refusal: String? {
        let command = ["env", "LC_ALL=C", "git", "-C", folder, "rev-parse", "--git-dir"]
        guard let output = try? ProgramOutput.run(command, errors: .kept), output.status != 0, output.status != 127
        else { return nil }
        return GitEnvironment.refusal(in: output.text)
    }

    /// Whether the folder is under version control and has a revision.
    var hasHistory: Bool { ask("rev-parse", "--verify", "--quiet", "HEAD") != nil }

    /// The hash of a revision; nil if there is none.
    func revision(_ name: String) -> String? {
        guard !name.hasPrefix("-") else { return nil }
        return ask("rev-parse", "--verify", "--quiet", "\(name)^{commit}")
    }

    /// The hash of the contents of a revision.
    func tree(of revision: String) -> String? { ask("rev-parse", "\(revision)^{tree}") }

    /// The topmost folder, and the path from it to this one, which ends with `/` unless it is empty.
    var location: (root: String, prefix: String)? {
        guard let root = ask("rev-parse", "--show-toplevel"), let prefix = ask("rev-parse", "--show-prefix")
        else { return nil }
        return (root, prefix)
    }

    /// Whether the clone has only the last revisions of its history.
    var isShallow: Bool { ask("rev-parse", "--is-shallow-repository") == "true" }

    /// The default branch; nil if there is none of the usual names.
    var defaultBranch: String? {
        let remote = ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        return [remote, "main", "master"].compactMap { $0 }.first { revision($0) != nil }
    }

    /// The last revision that the present one and another have in common; nil if there is none.
    func mergeBase(with revision: String) -> String? { ask("merge-base", "HEAD", revision) }

    /// Whether the files of the folder are those of a revision.
    func isCheckedOut(_ revision: String) -> Bool {
        guard let tree = tree(of: revision), tree == self.tree(of: "HEAD") else { return false }
        return ask("status", "--porcelain") == ""
    }

    /// The revision that is checked out.
    var source: SourceIdentity {
        var source = SourceIdentity()
        guard let sha = revision("HEAD") else { return source }
        source.sha = sha
        source.branch = ask("rev-parse", "--abbrev-ref", "HEAD") ?? ""
        source.tree = tree(of: "HEAD") ?? ""
        source.isDirty = !(ask("status", "--porcelain") ?? "").isEmpty
        return source
    }

    /// The name of the user.
    var author: String {
        ask("config", "user.name") ?? ProcessInfo.processInfo.environment["USER"] ?? "unknown"
    }
}
