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

    /// What is there; nil when a part is missing.
    static let found: Browser? = {
        let chromium = ExternalTool.find("chromium") ?? ExternalTool.find("chromium-browser")
        let pythons: [String] = [
            ProcessInfo.processInfo.environment["AXIOM_PYTHON"],
            Repository.root.appending(path: ".build-python/bin/python").path,
        ].compactMap(\.self)
        let python = pythons.first { canDrive($0) }
        guard let chromium, let python else { return nil }
        return Browser(chromium: chromium, python: python)
    }()

    /// Locally what is missing skips a test; where the environment has `CI`, it fails it.
    static var mayRun: Bool { found != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    private static func canDrive(_ path: String) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-c", "import playwright, axe_playwright_python, jsonschema"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

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
        "Everything that its tests in Python say holds",
        arguments: [["live_tests", "cost_tests"], ["calm_tests", "page_tests", "safety_tests", "sight_tests"]]
    )
    func page(_ files: [String]) async throws {
        let output = try await #require(Browser.found, "\(Browser.installation)").run(files)
        #expect(output.status == 0, "\(output.errors.suffix(6_000))")
    }

    @Test("It shows the demo as it is: its numbers, its end, its return, and what is exported of it")
    func demo() async throws {
        let output = try await #require(Browser.found, "\(Browser.installation)").run(["demo_tests"])
        #expect(output.status == 0, "\(output.errors.suffix(6_000))")
    }
}
#endif
