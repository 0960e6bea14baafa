// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A build of the benchmarks: the file that is run as a worker.
struct MeasuredProgram: Sendable {
    var path: String
    /// The share by which its samples are made longer, for tests of this very tool.
    var injected = 0.0

    /// The running program.
    static var current: MeasuredProgram {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return MeasuredProgram(path: path ?? CommandLine.arguments[0])
    }

    /// Starts a worker.
    func worker(
        _ benchmark: BenchmarkInfo,
        processor: Int? = nil,
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws(BenchmarkError) -> WorkerProcess {
        let arguments = WorkerArguments.worker(
            id: benchmark.id,
            processor: benchmark.isPinned ? processor : nil,
            injected: injected
        )
        return try WorkerProcess(
            wrapper + [path] + arguments.arguments,
            id: benchmark.id,
            environment: environment,
            patience: wrapper.isEmpty ? .seconds(60) : .seconds(300)
        )
    }

    /// Asks for the benchmarks that the program has.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` when it does not answer as a program of this module.
    func list() throws(BenchmarkError) -> [BenchmarkInfo] {
        let output = try ProgramOutput.run([path] + WorkerArguments.list.arguments)
        guard output.status == 0,
            let list = try? JSONDecoder().decode([BenchmarkInfo].self, from: Data(output.text.utf8))
        else {
            throw BenchmarkError(
                .crashed,
                "\(path) does not list its benchmarks: both builds must use one version of AxiomBenchmarking",
                cause: output.text.isEmpty ? "exit code \(output.status)" : String(output.text.prefix(300))
            )
        }
        return list
    }
}
