// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The commits on the line of first parents from a good one to a bad one. Those that change only documentation and tests
/// are left out: their builds are those of the commits before them.
struct BisectedCommits {
    /// The hashes, the good one first.
    let hashes: [String]
    let git: Git

    /// Finds the commits between two revisions by their names.
    ///
    /// - Throws: ``BenchmarkError`` with the code `baseline` if a revision is unknown, `usage` if none is between both.
    init(_ good: String, _ bad: String, _ git: Git) throws(BenchmarkError) {
        let (start, end) = (try Self.revision(good, git), try Self.revision(bad, git))
        let all = Self.log(git, "\(start)..\(end)")
        let prefix = git.location?.prefix ?? ""
        let relevant = all.filter { $0.files.contains { Self.matters($0, prefix) } }
        guard let first = all.first, !relevant.isEmpty, let parent = git.revision("\(first.hash)~1") else {
            let remedy = git.isShallow ? BaselineReference.shallow : "name the older revision first"
            throw BenchmarkError(.usage, "no commit from \(good) to \(bad) changes what is built: \(remedy)")
        }
        if parent != start {
            StandardError.write("\(good) is not on the line of first parents of \(bad): searching from \(parent) on")
        }
        if relevant.count < all.count {
            let count = all.count - relevant.count
            StandardError.write("commits left out, as they change nothing but documentation and tests: \(count)")
        }
        hashes = [parent] + relevant.map(\.hash)
        self.git = git
    }

    private static func revision(_ name: String, _ git: Git) throws(BenchmarkError) -> String {
        if let hash = git.revision(name) { return hash }
        let remedy = git.isShallow ? BaselineReference.shallow : "see git log, or git fetch"
        throw BenchmarkError(.baseline, "\(name) is no revision of \(git.folder): \(remedy)", cause: git.refusal)
    }

    /// The commits of a range, the oldest first, with the files that each one changed.
    private static func log(_ git: Git, _ range: String) -> [(hash: String, files: [Substring])] {
        let text = git.ask(
            "log",
            "--first-parent",
            "-m",
            "--reverse",
            "--no-show-signature",
            "--no-renames",
            "--name-only",
            "--format=%x00%H",
            range
        )
        return (text ?? "").split(separator: "\0").compactMap { entry in
            let lines = entry.split(separator: "\n")
            return lines.first.map { (String($0), Array(lines.dropFirst())) }
        }
    }

    /// Whether a file can change a build of the package.
    private static func matters(_ path: Substring, _ prefix: String) -> Bool {
        let own = path.hasPrefix(prefix) ? path.dropFirst(prefix.count) : path
        return !own.hasSuffix(".md") && !own.hasPrefix("Documentation/") && !own.hasPrefix("Tests/")
    }

    /// The ranges of the branches that a commit merged, from where they left; none if the commit is no merge.
    func merged(_ commit: Int) -> [(good: String, bad: String)] {
        let parents = show(commit, "%P").split(separator: " ").map(String.init)
        return parents.dropFirst().compactMap { side in git.ask("merge-base", parents[0], side).map { ($0, side) } }
    }

    /// The hash and the subject.
    func title(_ commit: Int) -> String { show(commit, "%h %s") }

    /// Formats a commit as `git log --format` does.
    func show(_ commit: Int, _ format: String) -> String {
        git.ask("show", "-s", "--no-show-signature", "--date=iso", "--format=\(format)", hashes[commit])
            ?? hashes[commit]
    }
}
