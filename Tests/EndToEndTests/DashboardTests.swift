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

    /// The installed browser.
    static func required() throws -> Browser { try #require(found, "\(installation)") }

    /// Whether the tests run. If a part is missing, they are skipped; with `CI` in the environment, they run and fail.
    static var mayRun: Bool { found != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    /// Runs files, classes or tests of `Tests/DashboardTests`, and prints how long each takes.
    ///
    /// - Parameters:
    ///   - tests: Their names for unittest.
    ///   - count: How many run at the same time.
    ///   - browser: The program that shows the pages; nil for the one that `support.py` finds.
    func run(_ tests: [String], atOnce count: Int = 1, in browser: String? = nil) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, file) in tests.enumerated() {
                if index >= count { try await group.next() }
                group.addTask {
                    let begin = ContinuousClock.now
                    let output = try await run(file, in: browser)
                    print(output.output + "\(file) took \(begin.duration(to: .now))")
                    #expect(output.status == 0, "\(file): \(output.errors.suffix(6_000))")
                }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ test: String, in browser: String?) async throws -> Command.Output {
        let build = try BuildFolder().url
        var environment = [
            "AXIOM_PYTHON": python, "AXIOM_DEMO": build.appending(path: "axiom-demo").path,
            "AXIOM_SHOP_ORACLE": build.appending(path: "shop-oracle").path,
            "AXIOM_DASHBOARD_COMMAND": build.appending(path: "axiom-dashboard").path,
            "AXIOM_PLANTED_FAULTS": build.appending(path: "planted-faults").path,
        ]
        environment["AXIOM_CHROMIUM"] = browser
        let script = Repository.root.appending(path: "Tests/DashboardTests/run").path
        return try await Command.run("/usr/bin/env", environment.map { "\($0.key)=\($0.value)" } + [script, test])
    }
}

// The page is the same without the trait, and has nothing to show.
#if Instrumented
/// The tests run at the same time: those with programs wait most of the time. `mainPage` and `numbersOfTheDemo` without the
/// others are a short look at everything.
@Suite(
    "The dashboard in a real Chromium",
    .timeLimit(.minutes(30)),
    .enabled(if: Browser.mayRun, Comment(rawValue: Browser.installation))
)
struct DashboardTests {
    private static let main = "live_tests"
    /// The longest come first.
    private static let others = [
        "calm_tests", "cost_tests", "profile_tests", "trace_tests", "sight_tests", "modules_tests", "history_tests",
        "zoom_tests", "actions_tests", "state_tests", "safety_tests", "main_actor_tests", "page_tests",
    ]
    private static let demo = "demo_tests"
    private static let programs = ["planted_tests", "recording_tests"]

    @Test("Python's tests of the main page pass: what it shows, what one can do, and what the end of a process does")
    func mainPage() async throws {
        try await Browser.required().run([Self.main])
    }

    @Test("Python's tests of all other panels pass")
    func otherPages() async throws {
        try await Browser.required().run(Self.others, atOnce: 2)
    }

    @Test("The page shows the numbers of the demo, in the browser that its users have")
    func numbersOfTheDemo() async throws {
        let browser = try Browser.required()
        try await browser.run(["\(Self.demo).Numbers"], in: browser.chromium)
    }

    /// `demo_tests` shows the end of the demo, its restart and its export; `planted_tests` that the page leads to the cause
    /// of each planted fault by three clicks.
    @Test("Python's tests of the pages of other programs and of the demo's life pass")
    func programs() async throws {
        try await Browser.required().run(Self.programs + ["\(Self.demo).Running"])
    }

    @Test("Each file of tests in Python is run")
    func files() throws {
        let folder = Repository.root.appending(path: "Tests/DashboardTests").path
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("_tests.py") }
        let run = Self.others + Self.programs + [Self.main, Self.demo] + HealthTests.files
        #expect(found.sorted() == run.map { "\($0).py" }.sorted())
        let text = try String(contentsOfFile: "\(folder)/\(Self.demo).py", encoding: .utf8)
        let classes = text.matches(of: /\nclass (\w+)\(Demonstrated\)/).map { String($0.1) }
        #expect(classes == ["Numbers", "Running"])
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

    @Test("diagnose has the exit code 2 for what it cannot read, and 64 for wrong usage; each error names the input")
    func refusals() async throws {
        for (arguments, status, words) in [
            (["diagnose", "http://127.0.0.1:1"], 2, "http://127.0.0.1:1 does not answer"),
            (["diagnose", "http://me:s3cret@127.0.0.1:1/?token=s3cret"], 2, "http://127.0.0.1:1/ does not answer"),
            (["diagnose", "/none.json"], 2, "/none.json cannot be read"),
            (["diagnose", Repository.root.appending(path: "Package.swift").path], 2, "/Package.swift is not JSON"),
            (["diagnose"], 64, "Missing expected argument"),
            (["diagnose", "x", "--timeout", "0"], 64, "--timeout is 0"),
            (["diagnose", "x", "--token", "t"], 64, "--token is for an address"),
        ] {
            let output = try await Self.run(arguments)
            #expect(output.status == Int32(status) && output.errors.contains(words), "\(arguments): \(output)")
            #expect(!output.errors.contains("s3cret"))
        }
    }

    @Test("diagnose takes the address that a browser shows, with a query and a fragment, and its links have neither")
    func addresses() async throws {
        let demo = try await DemoProcess(["--steps", "20", "--linger", "120s"])
        try await demo.loadEnded()
        for suffix in ["", "/", "/#range=900", "/?token=s3cret", "?token=s3cret#range=900"] {
            let output = try await Self.run(["diagnose", demo.exporter + suffix])
            #expect([0, 1].contains(output.status) && output.errors.isEmpty, "\(suffix): \(output.errors)")
            #expect(!output.output.contains("s3cret") && !output.output.contains("range=900"), "\(output.output)")
        }
        demo.program.signal()
    }

    @Test("Each command of the page for coding agents works as it is written")
    func skill() async throws {
        let demo = try await DemoProcess(["--steps", "20", "--linger", "120s"])
        try await demo.loadEnded()
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-skill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Loopback.get("\(demo.exporter)/export.html").write(to: folder.appending(path: "axiom.html"))
        let traces = String(decoding: try await Loopback.get("\(demo.exporter)/api/traces"), as: UTF8.self)
        let trace = try #require(traces.firstMatch(of: /"trace":"([0-9a-f]{32})"/)).output.1

        let page = Repository.root.appending(path: "Documentation/diagnose-skill.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("       ") }.map { $0.trimmingPrefix { $0 == " " } }
        #expect(commands.count == 5)
        let program = try BuildFolder().url.appending(path: "axiom-dashboard").path
        for command in commands {
            let line = command.replacing("swift run axiom-dashboard", with: "'\(program)'")
                .replacing("http://127.0.0.1:9464", with: demo.exporter).replacing("/ID", with: "/\(trace)")
            let output = try await Command.run("/bin/sh", ["-c", "cd '\(folder.path)' && \(line)"])
            #expect([0, 1].contains(output.status) && output.errors.isEmpty, "\(command): \(output.errors)")
            #expect(output.output.contains("Axiom Demo") || output.output.contains("axiom/"), "\(command)")
            #expect(!output.output.hasPrefix("{\"error\""), "\(command)")
        }
        demo.program.signal()
    }

    private static func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(try BuildFolder().url.appending(path: "axiom-dashboard").path, arguments)
    }
}
#endif
