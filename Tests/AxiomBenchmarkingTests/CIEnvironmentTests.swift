// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The baseline in continuous integration")
struct CIEnvironmentTests {
    /// The variables of a system, and what is compared with.
    struct Case: Sendable, CustomTestStringConvertible {
        let title: String
        let variables: [String: String]
        let candidates: [String]
        var merge: String?
        var testDescription: String { title }
    }

    private static let zeros = String(repeating: "0", count: 40)

    private static let cases = [
        Case(
            title: "a merge request of GitLab",
            variables: [
                "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/1",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "ba5e", "CI_COMMIT_BEFORE_SHA": zeros,
                "CI_MERGE_REQUEST_REF_PATH": "refs/merge-requests/1/head", "CI_DEFAULT_BRANCH": "main",
            ],
            candidates: ["origin/release/1", "release/1", "ba5e"]
        ),
        Case(
            title: "a merged result of GitLab",
            variables: [
                "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
                "CI_MERGE_REQUEST_REF_PATH": "refs/merge-requests/1/merge",
            ],
            candidates: ["origin/main", "main"],
            merge: "CI_MERGE_REQUEST_REF_PATH"
        ),
        Case(
            title: "a push of GitLab",
            variables: ["GITLAB_CI": "true", "CI_COMMIT_BEFORE_SHA": "bef0", "CI_DEFAULT_BRANCH": "main"],
            candidates: ["bef0", "origin/main", "main"]
        ),
        Case(
            title: "a new branch of GitLab",
            variables: ["GITLAB_CI": "true", "CI_COMMIT_BEFORE_SHA": zeros, "CI_DEFAULT_BRANCH": "trunk"],
            candidates: ["origin/trunk", "trunk"]
        ),
        Case(
            title: "a pull request of Azure",
            variables: [
                "TF_BUILD": "True", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
                "BUILD_SOURCEBRANCH": "refs/pull/3/merge",
            ],
            candidates: ["origin/main", "main"],
            merge: "BUILD_SOURCEBRANCH"
        ),
        Case(
            title: "a push of Azure",
            variables: ["TF_BUILD": "True", "BUILD_SOURCEBRANCH": "refs/heads/merge"],
            candidates: []
        ),
        Case(
            title: "a pull request of Bitbucket",
            variables: [
                "BITBUCKET_BUILD_NUMBER": "7", "BITBUCKET_PR_DESTINATION_BRANCH": "main",
                "BITBUCKET_PR_DESTINATION_COMMIT": "ba5e",
            ],
            candidates: ["origin/main", "main", "ba5e"]
        ),
        Case(
            title: "a pull request of Buildkite",
            variables: ["BUILDKITE": "true", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"],
            candidates: ["origin/main", "main"]
        ),
        Case(
            title: "a push of Buildkite",
            variables: [
                "BUILDKITE": "true", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "",
                "BUILDKITE_PIPELINE_DEFAULT_BRANCH": "trunk",
            ],
            candidates: ["origin/trunk", "trunk"]
        ),
        Case(
            title: "a change request of Jenkins",
            variables: ["JENKINS_URL": "http://ci", "CHANGE_TARGET": "main", "GIT_PREVIOUS_SUCCESSFUL_COMMIT": "bef0"],
            candidates: ["origin/main", "main"]
        ),
        Case(
            title: "a branch of Jenkins",
            variables: ["JENKINS_URL": "http://ci", "GIT_PREVIOUS_SUCCESSFUL_COMMIT": "bef0"],
            candidates: ["bef0"]
        ),
    ]

    @Test("Is named by the documented variables", arguments: cases)
    func variables(_ wanted: Case) throws {
        let change = try #require(CIEnvironment(wanted.variables))
        #expect(change.candidates.map(\.revision) == wanted.candidates)
        #expect(change.merge == wanted.merge)
        #expect(CIEnvironment(["PATH": "/bin", "GITHUB_ACTIONS": ""]) == nil)
    }

    /// The environment of GitHub Actions with an event.
    private func github(
        _ event: String,
        _ sample: SampleProgram,
        _ more: [String: String] = [:]
    ) throws -> CIEnvironment {
        try sample.write(event, "event.json")
        let variables = ["GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": sample.path("event.json")]
        return try #require(CIEnvironment(variables.merging(more) { $1 }))
    }

    @Test("GitHub's events name what is in their file, and a damaged file names nothing")
    func events() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let request = try github(
            #"{"pull_request": {"base": {"sha": "ba5e"}}, "before": "x"}"#,
            sample,
            ["GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/5/merge"]
        )
        #expect(request.candidates.map(\.revision) == ["origin/main", "main", "ba5e"] && request.merge == "GITHUB_REF")
        let push = try github(#"{"before": "bef0", "repository": {"default_branch": "main"}}"#, sample)
        #expect(push.candidates.map(\.revision) == ["bef0", "origin/main", "main"] && push.merge == nil)
        #expect(push.candidates[0].source == "GITHUB_EVENT_PATH: before" && push.candidates[0].isExact)
        let queue = try github(#"{"merge_group": {"base_sha": "ba5e"}}"#, sample)
        #expect(queue.candidates.map(\.revision) == ["ba5e"])
        #expect(try github(#"{"before": 3"#, sample).candidates.isEmpty)
    }

    /// A bare remote with `main`, the branch `topic` that left it at its first commit, and the merge of both, after which
    /// main goes on.
    private struct Remote {
        let sample: SampleProgram
        let first: String
        let target: String
        let topic: String
        let last: String

        init(_ sample: SampleProgram) async throws {
            self.sample = sample
            let origin = sample.below("origin")
            func commit(_ name: String) async throws -> String {
                try origin.write(name, "\(name).txt")
                try await origin.git("add", "-A")
                try await origin.git("commit", "-qm", name)
                return try await origin.git("rev-parse", "HEAD")
            }
            try origin.write("// swift-tools-version: 6.2", "Package.swift")
            try await origin.git("init", "-q", "-b", "main")
            first = try await commit("first")
            try await origin.git("checkout", "-qb", "topic")
            topic = try await commit("topic")
            try await origin.git("checkout", "-q", "main")
            target = try await commit("second")
            try await origin.git("checkout", "-q", "--detach")
            try await origin.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
            try await origin.git("update-ref", "refs/pull/1/merge", "HEAD")
            try await origin.git("checkout", "-q", "main")
            last = try await commit("third")
            try await origin.git("clone", "-q", "--mirror", origin.folder.path, sample.path("remote.git"))
        }

        /// Fetches as `actions/checkout` does, and checks a reference out.
        func checkout(_ reference: String, depth: Int, branches: Bool = false) async throws -> PackageFolder {
            let clone = sample.below("clone-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: clone.folder, withIntermediateDirectories: true)
            try await clone.git("init", "-q")
            try await clone.git("remote", "add", "origin", "file://\(sample.path("remote.git"))")
            let what =
                (branches ? ["+refs/heads/*:refs/remotes/origin/*"] : []) + ["+\(reference):refs/remotes/checked/out"]
            let fetch =
                ["git", "-C", clone.folder.path, "fetch", "-q", "--no-tags"] + (depth > 0 ? ["--depth=\(depth)"] : [])
            let output = try await Command.run("/usr/bin/env", fetch + ["origin"] + what)
            try #require(output.status == 0, "\(output.errors)")
            try await clone.git("checkout", "-q", "--force", "refs/remotes/checked/out")
            return try PackageFolder(path: clone.folder.path, product: "benchmarks")
        }
    }

    private func find(_ package: PackageFolder, _ variables: [String: String]) throws -> BaselineReference {
        try BaselineReference.find(BaselineReference.automatic, package, CIEnvironment(variables))
    }

    @Test("Of the merge of a pull request it is the first parent, also in a clone of depth 2 and after main went on")
    func mergeReference() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let remote = try await Remote(sample)
        let variables = ["GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/1/merge"]
        for (depth, branches) in [(2, false), (0, true)] {
            let package = try await remote.checkout("refs/pull/1/merge", depth: depth, branches: branches)
            let found = try find(package, variables)
            let name = "the target of the merge that is checked out (GITHUB_REF)"
            #expect(found == .revision(sha: remote.target, name: name))
        }
    }

    @Test("In a clone of depth 1 nothing is compared, and the message names the variable and both remedies")
    func depthOne() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let remote = try await Remote(sample)
        let variables = ["GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/1/merge"]
        let package = try await remote.checkout("refs/pull/1/merge", depth: 1)
        let error = try #require(throws: BenchmarkError.self) { try find(package, variables) }
        #expect(error.code == .baseline)
        for words in ["GITHUB_BASE_REF names origin/main", "fetch-depth: 0", "git fetch --deepen=100"] {
            #expect(error.description.contains(words), "\(error)")
        }
        // The committed baseline is better than none, and says so.
        try sample.write("{}", "\(URL(filePath: package.path).lastPathComponent)/Benchmarks/baselines/main.json")
        guard case .file(let path, let note?) = try find(package, variables) else {
            Issue.record("the committed baseline was not found")
            return
        }
        #expect(path == package.baselines + "/main.json" && note.contains("GITHUB_BASE_REF"))
    }

    @Test("Of a branch that is not merged yet it is where the branch left its target, in each system")
    func branch() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let remote = try await Remote(sample)
        let package = try await remote.checkout("refs/heads/topic", depth: 0, branches: true)
        for (mark, variable) in [
            ("GITHUB_ACTIONS", "GITHUB_BASE_REF"), ("GITLAB_CI", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
            ("TF_BUILD", "SYSTEM_PULLREQUEST_TARGETBRANCH"), ("JENKINS_URL", "CHANGE_TARGET"),
            ("BUILDKITE", "BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
            ("BITBUCKET_BUILD_NUMBER", "BITBUCKET_PR_DESTINATION_BRANCH"),
        ] {
            let found = try find(package, [mark: "true", variable: "main"])
            #expect(found == .revision(sha: remote.first, name: "the merge base with origin/main (\(variable))"))
        }
        // GitLab names the revision itself, for which no branch is needed.
        let alone = try await remote.checkout("refs/heads/topic", depth: 2)
        let variables = [
            "GITLAB_CI": "true", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": remote.first,
        ]
        let name = "\(remote.first.prefix(10)) (CI_MERGE_REQUEST_DIFF_BASE_SHA)"
        #expect(try find(alone, variables) == .revision(sha: remote.first, name: name))
    }

    @Test("Of a push it is the revision before it; of a new or rewritten branch, where it left the default branch")
    func push() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let remote = try await Remote(sample)
        let main = try await remote.checkout("refs/heads/main", depth: 0, branches: true)
        let variables = ["GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": remote.first]
        let name = "\(remote.first.prefix(10)) (CI_COMMIT_BEFORE_SHA)"
        #expect(try find(main, variables) == .revision(sha: remote.first, name: name))
        let topic = try await remote.checkout("refs/heads/topic", depth: 0, branches: true)
        for before in [Self.zeros, String(repeating: "a", count: 40)] {
            let found = try find(topic, variables.merging(["CI_COMMIT_BEFORE_SHA": before]) { $1 })
            #expect(found == .revision(sha: remote.first, name: "the merge base with origin/main (CI_DEFAULT_BRANCH)"))
        }
        // Built again without a change: the parent.
        let again = ["JENKINS_URL": "http://ci", "GIT_PREVIOUS_SUCCESSFUL_COMMIT": remote.last]
        guard case .revision(remote.target, let title) = try find(main, again) else {
            Issue.record("the parent was not found")
            return
        }
        #expect(title.contains("the parent of") && title.contains("GIT_PREVIOUS_SUCCESSFUL_COMMIT"))
    }
}
