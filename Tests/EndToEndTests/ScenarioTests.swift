// SPDX-License-Identifier: Apache-2.0

// Without the trait no action is recorded.
#if Instrumented
import AxiomTestSupport
import Foundation
import Testing

@Suite("The recorded scenario of the demo", .timeLimit(.minutes(10)))
struct ScenarioTests {
    @Test("axiom-demo --record-scenario writes a test that compiles beside those of the demo, with nothing to fill in")
    func compiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-scenario-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "RecordedScenarioTests.swift")
        let demo = try BuildFolder().url.appending(path: "axiom-demo").path
        let load = ["--port", "0", "--steps", "60", "--rate", "200", "--faults", "mild"]
        let run = try await Command.run(demo, load + ["--record-scenario", file.path])
        #expect(run.status == 0, "\(run.errors)")
        let words = try #require(run.output.firstMatch(of: /Recorded (\d+) actions with 0 gaps/), "\(run.output)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.matches(of: /await \w+\.send\(/).count == Int(words.1))
        #expect(!text.contains("<#"))
        let support = Repository.root.appending(path: "Tests/AxiomDemoTests/ShopUnderTest.swift").path
        let check = try await Compiler().check([support, file.path], module: "Recorded", version: "6")
        #expect(check.status == 0, "\(check.errors.suffix(3_000))")
    }
}
#endif
