// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@Suite("The environment of git")
struct GitEnvironmentTests {
    private static let git = ExternalTool(
        installation: "git is missing: apt-get install git",
        path: ExternalTool.find("git")
    )

    @Test(
        "Has no variable that names a repository, by the list of the installed git",
        .enabled(if: Self.git.mayRun, "git is missing: apt-get install git")
    )
    func variables() async throws {
        let output = try await Self.git.run(["rev-parse", "--local-env-vars"])
        let names = output.output.split(separator: "\n").map(String.init)
        #expect(names.contains("GIT_INDEX_FILE"))
        let inherited = Dictionary(uniqueKeysWithValues: names.map { ($0, "1") })
        // The settings of `git -c`, such as safe.directory.
        let kept = GitEnvironment.withoutRepository(inherited).keys.sorted()
        #expect(kept == ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"])
    }

    @Test("Keeps what limits the search for a repository, and everything that is not git's")
    func others() {
        let others = ["GIT_CEILING_DIRECTORIES": "/home", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1", "PATH": "/bin"]
        #expect(GitEnvironment.withoutRepository(others) == others)
    }
}
