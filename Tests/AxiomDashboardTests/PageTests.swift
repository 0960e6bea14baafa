// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The page")
struct PageTests {
    /// Makes the page with esbuild and terser.
    private static let bundler = ExternalTool(
        installation: "esbuild or terser is missing: sudo apt-get install esbuild terser",
        path: ["esbuild", "terser"].contains { ExternalTool.find($0) == nil }
            ? nil : Repository.root.appending(path: "Scripts/embed-page").path
    )

    /// Whether esbuild or terser is another version than that of Debian 12, whose page is another text.
    private static let isOtherVersion: Bool = {
        let versions = "esbuild --version; NODE_PATH=/usr/share/nodejs terser --version"
        let command = "{ \(versions); } 2>/dev/null | grep -qvxE '0.17.0|terser 5.16.5'"
        return ExternalTool(installation: "", provenBy: command).isThere
    }()

    @Test(
        "What is compiled in is the page of Dashboards/web, with the digests of its script and style",
        .enabled(if: bundler.mayRun, Comment(rawValue: bundler.installation)),
        .disabled(if: isOtherVersion, "esbuild is not 0.17.0, or terser not 5.16.5, of Debian 12: the text is another")
    )
    func drift() async throws {
        let made = try await Self.bundler.run(["--print"])
        let source = Repository.root.appending(path: "Sources/AxiomDashboard/Page/PageSource.swift")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == (try String(contentsOf: source, encoding: .utf8)), "Run Scripts/embed-page")
    }

    @Test(
        "It is the page that the tests in a browser open",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func reference() async throws {
        let script = """
            import sys; sys.path.insert(0, sys.argv[1])
            import shipped
            page = shipped.page(title='<T & "t">', noscript="<p>no</p>")
            sys.stdout.write(page + "\\n====\\n" + shipped.policy(True))
            """
        let folder = Repository.root.appending(path: "Tests/DashboardTests").path
        let made = try await ExternalTool.schemaPython.run(["-B", "-c", script, folder])
        let page = PageAssembler.page(title: "<T & \"t\">", data: nil, noscript: "<p>no</p>")
        let mine = String(decoding: page, as: UTF8.self) + "\n====\n" + PageAssembler.policy(isLive: true)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == mine)
    }

    @Test("It weighs at most 100 kB, with as many rows of tables as it may have")
    func weight() throws {
        #expect(PageAssembler.page(title: "Axiom", data: nil, noscript: "").count <= 93_500)
        var sample = SampleTables()
        for number in 0..<200 {
            sample.component(.presentation, "SomewhatLongComponentName\(number)", created: 9, ended: 8)
            sample.action(
                .context,
                "SomewhatLongComponentName\(number)",
                "action",
                OutcomeCounts(success: 12),
                seconds: 0.01
            )
            sample.error("SomewhatLongComponentName\(number)", "AXIOM_SOMETHING_001", count: 12)
        }
        #expect(PageAssembler.page(title: "Axiom", data: nil, noscript: sample.html).count <= 100_000)
    }

    @Test("No name can end the data's element or fill a placeholder", arguments: HostileName.all)
    func breakingOut(_ name: String) throws {
        let workshop = try Workshop([name], appName: name)
        workshop.tick()
        let plain = String(decoding: workshop.dashboard.page(), as: UTF8.self)
        for page in [
            workshop.dashboard.exportedPage(),
            try DashboardFile.render(workshop.dashboard.snapshot(), from: "x.json"),
        ] {
            let text = String(decoding: page, as: UTF8.self)
            // The live page has one more: its request.
            #expect(text.components(separatedBy: "<script").count == plain.components(separatedBy: "<script").count - 1)
            #expect(text.components(separatedBy: "</script").count == 3)
            #expect(text.components(separatedBy: "<!--").count == plain.components(separatedBy: "<!--").count)
            let data = try #require(
                text.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first
            )
            #expect(try Viewer(Array(data.utf8)).lists["components"]?[0]?["kind"]?.string == "client")
            #expect(!data.unicodeScalars.contains { ["\u{2028}", "\u{2029}", "<"].contains($0) })
        }
    }

    @Test("Neither the page nor an export collects anything from the registry")
    func collections() throws {
        let workshop = try Workshop(["Saw"])
        let collector = CountingCollector()
        workshop.telemetry.registry.register(collector)
        workshop.tick()
        _ = workshop.dashboard.page()
        _ = workshop.dashboard.exportedPage()
        _ = workshop.dashboard.snapshot()
        #expect(collector.collections == 0)
        _ = workshop.telemetry.registry.collect()
        #expect(collector.collections == 1)
    }

    @Test("An export may not even ask its own server")
    func policy() throws {
        let page = String(decoding: try Workshop(["Saw"]).dashboard.exportedPage(), as: UTF8.self)
        #expect(
            page.contains(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
            )
        )
        #expect(!page.contains("connect-src"))
        #expect(!PageAssembler.policy(isLive: true).contains("unsafe"))
        #expect(PageAssembler.policy(isLive: true).contains(" \(PageSource.profileDigest)"))
        #expect(Dashboard.pagePolicy.hasSuffix("; frame-ancestors 'none'"))
    }

    @Test("A snapshot in another encoding, or behind a byte order mark, is refused: a browser could not read the page")
    func encodings() throws {
        let text = #"{"schema":"axiom/snapshot","version":1,"capturedAt":1,"components":[],"app":{"name":"<A>"}}"#
        #expect(throws: Never.self) { try DashboardFile.render(Array(text.utf8), from: "a.json") }
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [wide, [0xEF, 0xBB, 0xBF] + Array(text.utf8), Array(text.utf8) + [0xFF]] {
            let error = #expect(throws: DashboardFileError.self) { try DashboardFile.render(bytes, from: "a.json") }
            #expect(error?.message.hasPrefix("a.json is not UTF-8") == true)
        }
    }

    @Test(
        "One flipped bit of a saved snapshot is an error that names the file, or gives a page; no number is too large"
    )
    func flipped() throws {
        let whole = try Workshop(["Saw"]).dashboard.snapshot()
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        for round in 0..<1_000 {
            var bytes = whole
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            do throws(DashboardFileError) {
                let page = try DashboardFile.diff(bytes, from: "/some/file.json", whole, from: "whole.json")
                #expect(!page.isEmpty)
            } catch {
                #expect(error.message.hasPrefix("/some/file.json "), "seed \(seed), round \(round): \(error)")
            }
        }
        for number in ["1e308", "-1e308", "1e18", "-62135596801", "1e-308"] {
            let json = #"{"schema":"axiom/snapshot","version":1,"capturedAt":\#(number),"components":[]}"#
            #expect(throws: Never.self) { try DashboardFile.render(Array(json.utf8), from: "a.json") }
        }
        let deep = String(repeating: "[", count: 200_000)
        #expect(throws: DashboardFileError.self) { try DashboardFile.render(Array(deep.utf8), from: "a.json") }
    }

    @Test(
        "What is no snapshot is refused by the name of its file, with what to do",
        arguments: [
            ("", "is not JSON"), ("[1", "is not JSON"), ("[]", "is not an Axiom snapshot"),
            ("{}", "is not an Axiom snapshot"),
            (#"{"schema":"axiom/snapshot","version":3}"#, "of version 3"),
            (#"{"schema":"axiom/snapshot"}"#, "of version unknown"),
            (#"{"schema":"axiom/snapshot","version":1,"components":[]}"#, "has no capturedAt"),
            (
                #"{"schema":"axiom/snapshot","version":1,"capturedAt":1,"components":"none"}"#,
                "has no capturedAt or no components"
            ),
        ]
    )
    func refusals(_ text: String, _ message: String) throws {
        let json = Array(text.utf8)
        let error = #expect(throws: DashboardFileError.self) { try DashboardFile.render(json, from: "/some/file.json") }
        #expect(error?.message.hasPrefix("/some/file.json ") == true)
        #expect(error?.message.contains(message) == true)
        let good = try Workshop(["Saw"]).dashboard.snapshot()
        let second = #expect(throws: DashboardFileError.self) {
            try DashboardFile.diff(good, from: "a.json", json, from: "b.json")
        }
        #expect(second?.message.hasPrefix("b.json ") == true)
    }

    @Test("Only an export of a process with a profiler contains the script of the profile", arguments: [false, true])
    func profile(_ isProfiled: Bool) throws {
        let workshop = try Workshop(["Saw"])
        let profiler = IdleProfiler()
        if isProfiled { #expect(workshop.telemetry.attach(profiler)) }
        let script = "<script>\(PageSource.profile)</script>"
        let flag = isProfiled ? #"{"profile":true}"# : "{}"
        let text = #"{"schema":"axiom/snapshot","version":2,"capturedAt":1,"components":[],"app":\#(flag)}"#
        let saved = Array(text.utf8)
        for page in [
            workshop.dashboard.exportedPage(), try DashboardFile.render(saved, from: "a"),
            try DashboardFile.diff(saved, from: "a", saved, from: "b"),
        ] {
            #expect(String(decoding: page, as: UTF8.self).contains(script) == isProfiled)
        }
        #expect(!String(decoding: workshop.dashboard.page(), as: UTF8.self).contains(script))
        #expect(Dashboard.profileScript == Array(PageSource.profile.utf8))
    }

    @Test("A comparison holds both snapshots")
    func comparison() throws {
        let workshop = try Workshop(["Saw"])
        let before = workshop.dashboard.snapshot()
        workshop.tick()
        let page = try DashboardFile.diff(before, from: "a", workshop.dashboard.snapshot(), from: "b")
        let text = String(decoding: page, as: UTF8.self)
        let data = try #require(
            text.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first
        )
        let both = try JSONItem(Array(data.utf8)).object
        #expect(both["schema"] == .text("axiom/comparison"))
        #expect(both["before"]?.object["seq"] == .value(0))
        #expect(both["after"]?.object["seq"] == .value(1))
    }
}

/// A profiler that has sampled nothing.
private final class IdleProfiler: ProfileSource {
    func profile(_ query: ProfileQuery) -> Profile {
        Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 0), rate: 97)
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { nil }
}

/// Counts how often the registry is collected.
private final class CountingCollector: Collector {
    private let count = Lock(0)

    var collections: Int { count.withLock { $0 } }

    func collect() -> [CollectedFamily] {
        count.withLock { $0 += 1 }
        return []
    }
}
