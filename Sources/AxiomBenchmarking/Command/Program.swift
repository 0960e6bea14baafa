// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomProfile
internal import Foundation

/// A program's suites and its command line.
struct Program: Sendable {
    /// Of all suites, without the reference kernels.
    let benchmarks: [Benchmark]

    init(suites: [BenchmarkSuite]) {
        benchmarks = suites.flatMap(\.benchmarks)
    }

    /// What the benchmarks are, for measuring them.
    var infos: [BenchmarkInfo] { benchmarks.map(BenchmarkInfo.init) }

    /// Runs one command and says how it ended.
    func run(_ arguments: [String]) -> ExitStatus {
        if let internalUse = WorkerArguments(arguments) { return serve(internalUse) }
        do {
            try validate()
            let command = try BenchmarkCommand.parseAsRoot(Self.withDefaults(arguments))
            if let command = command as? any ProgramCommand { return try command.execute(self) }
            var other = command
            try other.run()
            return .success
        } catch let error as BenchmarkError {
            return fail(error.description, Self.status(error.code))
        } catch let error as ProfileError {
            return fail(error.description, Self.status(error))
        } catch {
            return usage(error)
        }
    }

    /// Two benchmarks of one name could not be told apart in any report.
    private func validate() throws(BenchmarkError) {
        var seen: Set<String> = []
        if let twice = benchmarks.first(where: { !seen.insert($0.id).inserted }) {
            throw BenchmarkError(.usage, "the benchmark \(twice.id) is declared twice: give one another name")
        }
    }

    private func serve(_ use: WorkerArguments) -> ExitStatus {
        switch use {
        case .worker(let id, let processor, let injected):
            let all = benchmarks + ReferenceKernels.suite.benchmarks
            guard let benchmark = all.first(where: { $0.id == id }) else { return .usage }
            WorkerLoop.serve(benchmark, processor: processor, injected: injected)
        case .list:
            guard let json = try? JSONEncoder().encode(infos) else { return .usage }
            print(String(decoding: json, as: UTF8.self))
            return .success
        case .hog:
            Hog.run()
        }
    }

    /// `--baseline` may stand alone, which the parser does not know.
    static func withDefaults(_ arguments: [String]) -> [String] {
        arguments.enumerated().flatMap { index, argument in
            let next = index + 1 < arguments.count ? arguments[index + 1] : nil
            let isAlone = argument == "--baseline" && (next == nil || next?.hasPrefix("-") == true)
            return isAlone ? [argument, BaselineReference.automatic] : [argument]
        }
    }

    static func status(_ code: BenchmarkError.Code) -> ExitStatus {
        switch code {
        case .usage: .usage
        case .baseline: .baseline
        default: .crashed
        }
    }

    private static func status(_ error: ProfileError) -> ExitStatus {
        let usage: [ProfileError.Code] = [.invalidParameter, .invalidSample]
        return usage.contains(error.code) ? .usage : .baseline
    }

    private func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        StandardError.write("error: \(message)")
        return status
    }

    /// Help and versions are answers; everything else that the parser throws is a wrong command line.
    private func usage(_ error: any Error) -> ExitStatus {
        let message = BenchmarkCommand.fullMessage(for: error)
        if BenchmarkCommand.exitCode(for: error) == .success {
            print(message)
            return .success
        }
        return fail(message.replacingOccurrences(of: "Error: ", with: ""), .usage)
    }
}

/// A command that needs the program's suites.
protocol ProgramCommand {
    func execute(_ program: Program) throws -> ExitStatus
}

/// Where messages go, so that standard output has the report only.
enum StandardError {
    static func write(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
