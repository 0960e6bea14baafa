// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a system of continuous integration says about the change that it builds, by its documented variables.
struct CIEnvironment {
    /// A revision, and what named it.
    struct Candidate: Equatable {
        let revision: String
        let source: String
        /// Whether it is compared with as it is; otherwise the last revision that it and the change have in common is.
        var isExact = false
    }

    private enum Role {
        /// A reference whose last part says that a merge with the target is checked out.
        case reference
        /// The branch into which a request is merged, its revision, and that at which the request left it.
        case branch, tip, base
        /// The revision before a push, and the branch from which others leave.
        case before, defaultBranch
        /// Not a variable: how a clone gets its whole history.
        case depth
    }

    private static let eventFile = "GITHUB_EVENT_PATH: "

    /// The variable that is set where a system runs, and those of each role. CircleCI has none that names a base.
    private static let systems: KeyValuePairs<String, [Role: String]> = [
        "GITHUB_ACTIONS": [
            .reference: "GITHUB_REF", .branch: "GITHUB_BASE_REF", .base: eventFile + "merge_group.base_sha",
            .tip: eventFile + "pull_request.base.sha", .before: eventFile + "before",
            .defaultBranch: eventFile + "repository.default_branch", .depth: "fetch-depth: 0 for actions/checkout",
        ],
        "GITLAB_CI": [
            .reference: "CI_MERGE_REQUEST_REF_PATH", .branch: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
            .base: "CI_MERGE_REQUEST_DIFF_BASE_SHA", .before: "CI_COMMIT_BEFORE_SHA",
            .defaultBranch: "CI_DEFAULT_BRANCH", .depth: "GIT_DEPTH: 0",
        ],
        "TF_BUILD": [
            .reference: "BUILD_SOURCEBRANCH", .branch: "SYSTEM_PULLREQUEST_TARGETBRANCH", .depth: "fetchDepth: 0",
        ],
        "BITBUCKET_BUILD_NUMBER": [
            .branch: "BITBUCKET_PR_DESTINATION_BRANCH", .tip: "BITBUCKET_PR_DESTINATION_COMMIT",
            .depth: "clone: depth: full",
        ],
        "BUILDKITE": [
            .branch: "BUILDKITE_PULL_REQUEST_BASE_BRANCH", .defaultBranch: "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
        ],
        "JENKINS_URL": [.branch: "CHANGE_TARGET", .before: "GIT_PREVIOUS_SUCCESSFUL_COMMIT"],
    ]

    /// The variable that says that a merge with the target is checked out.
    let merge: String?
    /// What to compare with, the best first.
    let candidates: [Candidate]
    /// How a shallow clone is completed.
    let remedy: String

    /// Nil outside of the known systems.
    init?(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
        guard let system = Self.systems.first(where: { !(variables[$0.key] ?? "").isEmpty })?.value else { return nil }
        let variables = variables.merging(Self.event(variables["GITHUB_EVENT_PATH"])) { $1 }
        /// The value of a variable. What is not there is empty, or zeros before a new branch.
        func candidates(_ role: Role, isExact: Bool = false) -> [Candidate] {
            guard let name = system[role], let value = variables[name], !value.allSatisfy({ $0 == "0" }) else {
                return []
            }
            return [Candidate(revision: value, source: name, isExact: isExact)]
        }
        func branches(_ role: Role) -> [Candidate] {
            candidates(role).flatMap { candidate in
                let branch = candidate.revision.replacingOccurrences(of: "refs/heads/", with: "")
                return ["origin/\(branch)", branch].map { Candidate(revision: $0, source: candidate.source) }
            }
        }
        let request = branches(.branch) + candidates(.base, isExact: true) + candidates(.tip)
        let push = candidates(.before, isExact: true) + branches(.defaultBranch)
        self.candidates = request.isEmpty ? push : request
        let merges = candidates(.reference).filter {
            $0.revision.hasSuffix("/merge") || $0.revision.hasSuffix("/train")
        }
        merge = request.isEmpty ? nil : merges.first?.source
        remedy = (system[.depth].map { "set \($0), or " } ?? "") + "run git fetch --deepen=100, or --unshallow"
    }

    /// The strings of the file in which GitHub describes what happened, by their paths.
    private static func event(_ path: String?) -> [String: String] {
        let data = path.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
        let event = try? JSONSerialization.jsonObject(with: data)
        let paths = systems.flatMap { $0.value.values }.filter { $0.hasPrefix(eventFile) }
        return paths.reduce(into: [:]) { values, path in
            let keys = path.dropFirst(eventFile.count).split(separator: ".")
            values[path] = keys.reduce(event) { ($0 as? [String: Any])?[String($1)] } as? String
        }
    }
}
