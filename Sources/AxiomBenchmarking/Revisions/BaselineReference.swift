// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The baseline that `--baseline` names.
enum BaselineReference: Equatable {
    /// A revision: its hash, and how it was found from the name on the command line.
    case revision(sha: String, name: String)
    /// A file, and why it is one where a revision was wanted.
    case file(String, note: String? = nil)
    /// There is nothing to compare with, for this reason.
    case nothing(String)

    /// The value of `--baseline` without one.
    static let automatic = "@default"

    /// Resolves a name: a file, else a revision, else a saved name.
    ///
    /// - Throws: ``BenchmarkError`` with the code `baseline` if it is none of them.
    static func find(
        _ name: String,
        _ package: PackageFolder,
        _ change: CIEnvironment? = CIEnvironment()
    ) throws(BenchmarkError) -> BaselineReference {
        let git = Git(folder: package.path)
        if name == automatic { return try findDefault(package, git, change) }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), !isFolder.boolValue {
            return .file(name)
        }
        if let sha = git.revision(name) { return comparable(sha, name, git) }
        let saved = file(named: name, package)
        if saved != name, FileManager.default.fileExists(atPath: saved) { return .file(saved) }
        throw unknown(name, isFolder: isFolder.boolValue, package, git)
    }

    /// The error for a name that cannot be resolved, with a remedy.
    private static func unknown(_ name: String, isFolder: Bool, _ package: PackageFolder, _ git: Git) -> BenchmarkError
    {
        if isFolder { return BenchmarkError(.baseline, "\(name) is a folder: name a file of a baseline in it") }
        guard !name.hasSuffix(".json"), !name.hasPrefix("/"), !name.hasPrefix(".") else {
            return BenchmarkError(.baseline, "there is no baseline at \(name): record one with --save \(name)")
        }
        let what = "\(name) is no file and no baseline in \(package.baselines)"
        if ProgramOutput.find("git") == nil {
            return BenchmarkError(.baseline, "\(what), and without git it is no revision: apt-get install git")
        }
        if let refusal = git.refusal { return BenchmarkError(.baseline, what, cause: refusal) }
        if !git.hasHistory {
            return BenchmarkError(
                .baseline,
                "\(what), and \(package.path) is under no version control: name a file, recorded with --save"
            )
        }
        let remedy = git.isShallow ? shallow : "see git branch --all, or git fetch"
        return BenchmarkError(.baseline, "\(what), and no revision of \(package.path): \(remedy)")
    }

    /// Why a revision may be missing, with the remedy.
    static let shallow = "this clone is shallow: git fetch --unshallow"

    /// The revision to compare with. What another branch did since this one left it is no work of this one, so that is where
    /// it left. If the working tree is that revision, it is its parent.
    private static func comparable(_ sha: String, _ name: String, _ git: Git) -> BaselineReference {
        let base = git.mergeBase(with: sha) ?? sha
        let title = base == sha ? name : "the merge base with \(name)"
        guard git.isCheckedOut(base) else { return .revision(sha: base, name: title) }
        guard let parent = git.revision("HEAD~1"), !git.isCheckedOut(parent) else {
            let missing = git.isShallow ? ", and \(shallow)" : ", and it has no parent that differs"
            return .nothing("\(title) is what is checked out\(missing)")
        }
        return .revision(sha: parent, name: "the parent of \(title), which is checked out")
    }

    /// Whether a name on the command line is the path of a file.
    static func isPath(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".json") }

    /// The file of a name given to `--save`: itself when it looks like a path.
    static func file(named name: String, _ package: PackageFolder) -> String {
        isPath(name) ? name : "\(package.baselines)/\(name).json"
    }

    /// The merge base with the default branch; without a common history the committed baseline.
    private static func findDefault(
        _ package: PackageFolder,
        _ git: Git,
        _ change: CIEnvironment?
    ) throws(BenchmarkError) -> BaselineReference {
        let (found, missing) = change.map { base(of: $0, git) } ?? (nil, nil)
        if let found { return found }
        if missing == nil, let branch = git.defaultBranch, git.mergeBase(with: branch) != nil {
            return comparable(git.revision(branch) ?? branch, branch, git)
        }
        let reason = git.refusal ?? missing ?? (git.isShallow ? shallow : nil)
        let committed = file(named: "main", package)
        if FileManager.default.fileExists(atPath: committed) {
            return .file(committed, note: reason.map { "there is no merge base with a default branch: \($0)" })
        }
        throw BenchmarkError(
            .baseline,
            "there is neither a default branch nor \(committed): name a baseline, or record one with baseline accept",
            cause: reason
        )
    }

    /// What continuous integration compares with; else why it is missing, if something was named.
    private static func base(of change: CIEnvironment, _ git: Git) -> (BaselineReference?, missing: String?) {
        // A merge of the change into its target: the first parent is the target.
        if let variable = change.merge, git.revision("HEAD^2") != nil, let target = git.revision("HEAD^1") {
            return (comparable(target, "the target of the merge that is checked out (\(variable))", git), nil)
        }
        for candidate in change.candidates {
            guard let sha = git.revision(candidate.revision) else { continue }
            let name = candidate.isExact ? String(candidate.revision.prefix(10)) : candidate.revision
            guard candidate.isExact || git.mergeBase(with: sha) != nil else { continue }
            return (comparable(sha, "\(name) (\(candidate.source))", git), nil)
        }
        guard let wanted = change.candidates.first else { return (nil, nil) }
        let remedy = git.isShallow ? "this clone is shallow: \(change.remedy)" : "run git fetch --all"
        return (nil, "\(wanted.source) names \(wanted.revision), which this clone does not reach; \(remedy)")
    }
}
