// SPDX-License-Identifier: Apache-2.0

/// The environment for git, and for programs that start git, such as `swift build`.
///
/// git tells hooks, and what `git rebase --exec` runs, by variables which repository, index and work tree it uses. A program
/// that inherits them acts on those, whichever folder it names: a checkout elsewhere would replace the index of the commit
/// that is just made.
package enum GitEnvironment {
    /// The variables of `git rev-parse --local-env-vars`, without those of `git -c`: their settings, such as `safe.directory`,
    /// are valid in every repository, and git passes them on to submodules too.
    package static let repositoryVariables: Set<String> = [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]

    /// The environment without the variables that name a repository. What limits the search for one stays, such as
    /// `GIT_CEILING_DIRECTORIES`.
    package static func withoutRepository(_ environment: [String: String]) -> [String: String] {
        environment.filter { !repositoryVariables.contains($0.key) }
    }

    /// Why git refuses to work in a repository, as in a folder of another user: the first line of what `git rev-parse` wrote,
    /// and the last, which is the remedy. Nil if git says that there is no repository.
    ///
    /// - Parameter text: Its output in the locale `C`.
    package static func refusal(in text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0.isWhitespace } }
        guard let first = lines.first, let last = lines.last, !first.contains("not a git repository") else {
            return nil
        }
        return first == last ? String(first) : "\(first): \(last)"
    }
}
