// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("A worker that has ended")
struct EndedWorkerTests {
    /// A worker that ran this after its greeting, and has ended.
    private func ended(after words: String) throws -> WorkerProcess {
        let script = "echo '\(WorkerCommand.greeting)' >&3; \(words)"
        let worker = try WorkerProcess(["/bin/sh", "-c", script], id: "suite/benchmark")
        var info = siginfo_t()
        #expect(waitid(P_PID, id_t(worker.processID), &info, WEXITED | WNOWAIT) == 0)
        return worker
    }

    @Test("Is an error with the code of a crash when it is asked, not the end of who asks")
    func silent() throws {
        let worker = try ended(after: "true")
        let error = #expect(throws: BenchmarkError.self) { try worker.ask(.facts) }
        #expect(error?.code == .crashed)
        #expect(error?.message.contains("suite/benchmark ended") == true)
    }

    @Test("What it said before is the reason")
    func reason() throws {
        let worker = try ended(after: "echo 'error there is no display' >&3")
        let error = #expect(throws: BenchmarkError.self) { try worker.ask(.sample(iterations: 1)) }
        #expect(error?.code == .crashed)
        #expect(error?.message.contains("there is no display") == true)
    }

    @Test("Programs that are started do not ignore broken pipes, though the starting process does")
    func inherited() throws {
        _ = try ended(after: "true")
        let output = try ProgramOutput.run(["/bin/sh", "-c", "grep SigIgn /proc/self/status"])
        let mask = try #require(output.text.split(whereSeparator: \.isWhitespace).last)
        let ignored = try #require(UInt64(mask, radix: 16))
        #expect(ignored >> UInt64(SIGPIPE - 1) & 1 == 0)
    }
}
