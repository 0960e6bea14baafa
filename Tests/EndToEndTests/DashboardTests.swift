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
            "AXIOM_PLANTED_FAULTS": build.appending(path: "planted-faults").path,
        ]
        let script = Repository.root.appending(path: "Tests/DashboardTests/run").path
        return try await Command.run("/usr/bin/env", environment.map { "\($0.key)=\($0.value)" } + [script] + tests)
    }
}

// The page is the same without the trait, and has nothing to show.
#if Instrumented
@Suite(
    "The dashboard in a real Chromium",
    .timeLimit(.minutes(30)),
    .enabled(if: Browser.mayRun, Comment(rawValue: Browser.installation))
)
struct DashboardTests {
    /// The longest come first. `planted_tests` shows that the page leads to the cause of each planted fault by three
    /// clicks, and `demo_tests` that it shows the numbers of the demo, its end, its restart, and its export.
    private static let files = [
        "history_tests", "trace_tests", "calm_tests", "cost_tests", "live_tests", "demo_tests", "zoom_tests",
        "planted_tests", "modules_tests", "sight_tests", "state_tests", "actions_tests", "safety_tests",
        "recording_tests", "main_actor_tests", "page_tests",
    ]

    @Test("The tests in Python pass")
    func page() async throws {
        let browser = try #require(Browser.found, "\(Browser.installation)")
        // Two files at a time: each waits for its page most of the time.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, file) in Self.files.enumerated() {
                if index >= 2 { try await group.next() }
                group.addTask {
                    let begin = ContinuousClock.now
                    let output = try await browser.run([file])
                    print("\(file) took \(begin.duration(to: .now))")
                    #expect(output.status == 0, "\(file): \(output.errors.suffix(6_000))")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Each file of tests in Python is run")
    func files() throws {
        let folder = Repository.root.appending(path: "Tests/DashboardTests").path
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("_tests.py") }
        #expect(Set(found) == Set((Self.files + [HealthTests.file]).map { "\($0).py" }))
    }
}

@Suite("The command axiom-dashboard", .timeLimit(.minutes(10)))
struct DashboardCommandTests {
    @Test(
        "A page replaces its file, also through a link, and keeps the mode; a missing folder is named, with exit code 1"
    )
    func output() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (snapshot, page, link) = ("snapshot.json", "page.html", "link.html")
        let demo = try await DemoProcess(["--steps", "20", "--linger", "120s"])
        try await demo.loadEnded()
        try await Loopback.get("\(demo.exporter)/api/snapshot").write(to: folder.appending(path: snapshot))
        demo.program.signal()
        try Data("old".utf8).write(to: folder.appending(path: page))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/" + page)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + link, withDestinationPath: page)

        let input = folder.path + "/" + snapshot
        let written = try await Self.run(["render", input, "-o", folder.path + "/" + link])
        #expect(written.status == 0, "\(written.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [link, page, snapshot])
        let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
        #expect(text.hasPrefix("<!"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + page)[.posixPermissions]
        #expect(mode as? Int == 0o600)

        let refused = try await Self.run(["render", input, "-o", folder.path + "/none/\(page)"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("\(folder.path)/none/\(page) cannot be written: No such file or directory."))
    }

    private static func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(try BuildFolder().url.appending(path: "axiom-dashboard").path, arguments)
    }
}
#endif
