// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@Suite("A program beside a test", .timeLimit(.minutes(10)))
struct RunningProgramTests {
    @Test("The output is whole once the program has ended")
    func output() async throws {
        for number in 0..<100 {
            let program = try RunningProgram("/bin/sh", ["-c", "echo first; echo \(number) >&2; exit 3"])
            #expect(await program.exitCode() == 3)
            #expect(program.output == "first\n\(number)\n")
        }
    }
}
