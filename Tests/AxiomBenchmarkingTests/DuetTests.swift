// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Measuring real processes")
struct DuetTests {
    @Test("A short self-test runs to its end, and says its bound")
    func selfTest() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["self-test", "--rounds", "1"])
        #expect(output.output.contains("Clopper-Pearson"))
        #expect(output.status == 0 || output.status == 1)
    }

    @Test("A fifth that is injected is found, or the machine is said to be no judge of times")
    func injected() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["self-test", "--rounds", "1", "--inject", "20%"])
        let isDoubtful = output.output.contains("inconclusive in 1 of 1")
        #expect(output.status == 0 || isDoubtful, "\(output.output) \(output.errors)")
    }

    @Test("Of two commands, the one that does more is found out")
    func commands() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (short, long) = (
            "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done", "i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done"
        )
        let output = try await sample.run(["--cmd", short, "--cmd", long, "--metrics", "cpu"])
        #expect(output.status == 1, "\(output.output) \(output.errors)")
        let failing = try await sample.run(["--cmd", "true", "--cmd", "exit 3"])
        #expect(failing.status == 5)
    }

    @Test("Retains and releases are counted by the runtime's hooks")
    func references() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["--filter", "allocate", "--metrics", "retains,releases", "--format", "json"])
        #expect(output.status == 0, "\(output.errors)")
        #expect(output.output.contains("\"releases\""))
    }
}
