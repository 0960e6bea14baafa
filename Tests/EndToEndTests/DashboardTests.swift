// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// Chromium and a Python that drives it.
struct Browser {
    static let installation =
        "Chromium, or a Python with playwright, axe-playwright-python and jsonschema, is missing: Scripts/setup test"

    let chromium: String
    let python: String

    /// The installed browser; nil if a part is missing.
    static let found: Browser? = {
        let python = ExternalTool.python(importing: ["playwright", "axe_playwright_python", "jsonschema"])
        guard let chromium = ExternalTool.find("chromium") ?? ExternalTool.find("chromium-browser"), let python
        else { return nil }
        return Browser(chromium: chromium, python: python)
    }()

    /// Whether the tests run. If a part is missing, they are skipped; with `CI` in the environment, they run and fail.
    static var mayRun: Bool { found != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    /// Runs files of `Tests/DashboardTests`.
    func run(_ tests: [String]) async throws -> Command.Output {
        let build = try BuildFolder().url
        let environment = [
            "AXIOM_PYTHON": python, "AXIOM_CHROMIUM": chromium, "AXIOM_DEMO": build.appending(path: "axiom-demo").path,
            "AXIOM_DASHBOARD_COMMAND": build.appending(path: "axiom-dashboard").path,
        ]
        let script = Repository.root.appending(path: "Tests/DashboardTests/run").path
        return try await Command.run("/usr/bin/env", environment.map { "\($0.key)=\($0.value)" } + [script] + tests)
    }
}

// The page is the same without the trait, and has nothing to show.
#if Instrumented
@Suite(
    "The dashboard in a real Chromium",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: Browser.mayRun, Comment(rawValue: Browser.installation))
)
struct DashboardTests {
    @Test(
        "The tests in Python pass",
        arguments: [["live_tests", "cost_tests"], ["page_tests", "safety_tests", "sight_tests"]]
    )
    func page(_ files: [String]) async throws {
        let output = try await #require(Browser.found, "\(Browser.installation)").run(files)
        #expect(output.status == 0, "\(output.errors.suffix(6_000))")
    }

    @Test("It shows the numbers of the demo, its end, its restart, and its export")
    func demo() async throws {
        let output = try await #require(Browser.found, "\(Browser.installation)").run(["demo_tests"])
        #expect(output.status == 0, "\(output.errors.suffix(6_000))")
    }
}
#endif
