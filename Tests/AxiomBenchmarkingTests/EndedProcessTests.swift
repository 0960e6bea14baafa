// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import AxiomTestSupport
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

    @Test("A request to it throws an error with the code of a crash, and the caller continues")
    func silent() throws {
        let worker = try ended(after: "true")
        let error = #expect(throws: BenchmarkError.self) { try worker.ask(.facts) }
        #expect(error?.code == .crashed)
        #expect(error?.message == "the process of suite/benchmark exited with 0 at \"facts\"")
    }

    @Test("The error of a worker that a signal ended differs from that of one that gives no answer")
    func endings() throws {
        let killed = try ended(after: "kill -SEGV $$")
        let error = #expect(throws: BenchmarkError.self) { try killed.ask(.value) }
        #expect(error?.message.contains("was ended by signal 11 (Segmentation fault) at \"value\"") == true)
        let script = "echo '\(WorkerCommand.greeting)' >&3; exec sleep 60"
        let silent = try WorkerProcess(["/bin/sh", "-c", script], id: "suite/benchmark", patience: .seconds(1))
        let late = #expect(throws: BenchmarkError.self) { try silent.ask(.value) }
        #expect(late?.message == "the process of suite/benchmark hung at \"value\": it gave no answer for 1 s")
    }

    /// What `/proc/self/fd` names, without what reads it.
    private var openDescriptors: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) }
    }

    @Test("A worker that cannot be started leaves no descriptor open")
    func descriptors() throws {
        let before = try openDescriptors.count
        for _ in 0..<200 {
            #expect(throws: BenchmarkError.self) { try Spawn.worker(["/no/such/program"], [:]) }
            #expect(throws: BenchmarkError.self) { try Spawn.worker([], [:]) }
        }
        // Tests beside this one open a few of their own: far fewer than the 2,000 that would be left.
        #expect(try openDescriptors.count < before + 200)
    }

    @Test("What it said before is the reason")
    func reason() throws {
        let worker = try ended(after: "echo 'error there is no display' >&3")
        let error = #expect(throws: BenchmarkError.self) { try worker.ask(.sample(iterations: 1)) }
        #expect(error?.code == .crashed)
        #expect(error?.message.contains("there is no display") == true)
    }

    @Test("A valgrind that does not end is ended after the limit, and the reason says so", .timeLimit(.minutes(10)))
    func endlessTool() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-valgrind-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // Written by another process: a program that a test beside this one starts would inherit the open file, and a file
        // that is open for writing cannot be run.
        let script =
            "printf '#!/bin/sh\\necho $$ > \"$0.pid\"\\nexec sleep 3600\\n' > '\(file.path)'; chmod 700 '\(file.path)'"
        #expect(try ProgramOutput.run(["/bin/sh", "-c", script]).status == 0)
        let reason = try #require(Counters.problem(of: file.path, within: .seconds(2)))
        #expect(reason.hasPrefix("\(file.path) did not run this program within 2 s"))
        let number = FileManager.default.contents(atPath: file.path + ".pid").map {
            String(decoding: $0, as: UTF8.self)
        }
        defer { try? FileManager.default.removeItem(atPath: file.path + ".pid") }
        // On a busy machine it may be ended before it wrote its number.
        if let process = number.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
            #expect(kill(process, 0) != 0 && errno == ESRCH)
        }
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

@Suite("Saving a baseline")
struct KilledSaveTests {
    @Test("Killed at any moment leaves the old file or the new one, whole", arguments: ["--save", "accept"])
    func killed(_ way: String) async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (file, chosen) = (sample.path("base.json"), ["--filter", "answer", "--metrics", "value"])
        func saving(to other: String, _ reason: Int) -> [String] {
            way == "accept"
                ? ["baseline", "accept", other, "--reason", "\(reason)", "--from", file] : chosen + ["--save", other]
        }
        #expect(try await sample.run(["baseline", "accept", file, "--reason", "0"] + chosen).status == 0)
        // How long a whole save takes on this machine now.
        let length = try await ContinuousClock().measure {
            let whole = try await sample.run(saving(to: sample.path("other.json"), 0))
            #expect(whole.status == 0, "\(whole.errors)")
        }
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for round in 1...12 {
            let before = try BaselineFile.load(from: file)
            let running = try RunningProgram(try SampleProgram.executable, saving(to: file, round))
            // Not to wait for a state: any moment will do.
            try await Task.sleep(for: length * Double.random(in: 0...1.1, using: &generator))
            running.signal(SIGKILL)
            _ = await running.exitCode()
            let after = try BaselineFile.load(from: file)
            #expect(after.benchmarks.map(\.id) == before.benchmarks.map(\.id))
            #expect(after.history.count <= before.history.count + 1)
        }
    }
}
