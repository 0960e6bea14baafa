// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomProfile
import AxiomTestSupport
import Foundation
import Testing

@Suite("Saving a baseline")
struct KilledSaveTests {
    @Test("Killed at any moment leaves the old file or the new one, whole", arguments: ["--save", "accept"])
    func killed(_ way: String) async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let file = sample.path("base.json")
        let chosen = ["--filter", "answer", "--metrics", "value"]
        #expect(try await sample.run(["baseline", "accept", file, "--reason", "0"] + chosen).status == 0)
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for round in 1...12 {
            let before = try BaselineFile.load(from: file)
            let arguments =
                way == "accept"
                ? ["baseline", "accept", file, "--reason", "\(round)", "--from", file] : chosen + ["--save", file]
            let running = try RunningProgram(try SampleProgram.executable, arguments)
            // Not to wait for a state: any moment will do.
            try await Task.sleep(for: .milliseconds(generator.index(below: way == "accept" ? 120 : 600)))
            running.signal(SIGKILL)
            _ = await running.exitCode()
            let after = try BaselineFile.load(from: file)
            #expect(after.benchmarks.map(\.id) == before.benchmarks.map(\.id))
            #expect(after.history.count <= before.history.count + 1)
        }
    }
}
