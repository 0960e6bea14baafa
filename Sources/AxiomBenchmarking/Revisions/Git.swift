// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

/// The version control of a folder.
struct Git {
    let folder: String

    /// The output of a git command without the last line feed; nil if it failed.
    func ask(_ arguments: String...) -> String? { output(arguments) }

    /// The same for a checkout of the tool, at which no hook of the user runs.
    func askWithoutHooks(_ arguments: String...) -> String? { output(["-c", "core.hooksPath=/dev/null"] + arguments) }

    private func output(_ arguments: [String]) -> String? {
        guard let output = try? ProgramOutput.run(["git", "-C", folder] + arguments, isQuiet: true),
            output.status == 0
        else { return nil }
        return output.text.hasSuffix("\n") ? String(output.text.dropLast()) : output.text
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

    /// The merge base with the default branch; nil if there is no such branch.
    var mergeBase: String? {
        let remote = ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        let names = [remote, "main", "master"].compactMap { $0 }
        guard let branch = names.first(where: { revision($0) != nil }) else { return nil }
        return ask("merge-base", "HEAD", branch)
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
