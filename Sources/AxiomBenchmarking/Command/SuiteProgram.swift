// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomStatistics
internal import Foundation

/// A program's suites and its command line.
struct SuiteProgram: Sendable {
    /// The benchmarks of all suites, without the reference kernels.
    let benchmarks: [Benchmark]

    init(suites: [BenchmarkSuite]) { benchmarks = suites.flatMap(\.benchmarks) }

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

    /// Reports identify benchmarks by their names.
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

    /// Adds the default value to a `--baseline` without one, which the parser does not support.
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

    /// The parser throws help and versions, which are no errors, and invalid command lines.
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
    func execute(_ program: SuiteProgram) throws -> ExitStatus
}

/// A program that measures, compares and gates benchmarks: the whole command line, with suites of your own.
///
/// ```swift
/// @main
/// struct MyBenchmarks: BenchmarkProgram {
///     static var suites: [BenchmarkSuite] { [strings, parser] }
/// }
/// ```
///
/// `swift run -c release MyBenchmarks --baseline main` then builds the revision `main` beside the present one, runs
/// both in turns, and exits with 1 when something got worse.
public protocol BenchmarkProgram {
    /// The suites. Read once in each process: declaring must be cheap.
    static var suites: [BenchmarkSuite] { get }
}

extension BenchmarkProgram {
    /// Runs the command line. Synchronous on purpose: an asynchronous main would put its actor between a body and what
    /// it awaits, and valgrind cannot run one.
    public static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(SuiteProgram(suites: suites).run(arguments).rawValue)
    }
}

/// The exit codes of the command line: a promise to scripts. If several apply, a crash precedes a regression, and a
/// regression precedes an inconclusive result.
struct ExitStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    /// Makes the status of a code.
    init(rawValue: Int32) { self.rawValue = rawValue }

    /// Nothing that was judged got worse.
    static let success = ExitStatus(rawValue: 0)
    /// Something got worse, or missed its goal.
    static let regression = ExitStatus(rawValue: 1)
    /// Invalid usage.
    static let usage = ExitStatus(rawValue: 2)
    /// Inconclusive, or nothing was judged; with `--strict` also incomparable.
    static let inconclusive = ExitStatus(rawValue: 3)
    /// The baseline is missing, damaged, edited, foreign or newer.
    static let baseline = ExitStatus(rawValue: 4)
    /// A benchmark crashed, or a build failed.
    static let crashed = ExitStatus(rawValue: 5)

    init(_ report: Report, strictness: Strictness, allowRemoved: Bool) {
        let kinds = Set(report.findings.map(\.verdict))
        let hasRemoved = kinds.contains(.removed) && !allowRemoved
        let isDoubtful = !kinds.isDisjoint(with: [.insufficient, .lost])
        if kinds.contains(.crashed) {
            self = .crashed
        } else if !kinds.isDisjoint(with: [.regressed, .missed]) || hasRemoved {
            self = .regression
        } else if strictness != .lenient, isDoubtful && report.mode != "goals" || report.judgedNothing {
            self = .inconclusive
        } else if strictness == .strict, isDoubtful || kinds.contains(.incomparable) {
            self = .inconclusive
        } else {
            self = .success
        }
    }
}

/// How results without a decision affect the exit code.
enum Strictness: Sendable {
    /// Inconclusive exits 3, incomparable exits 0 with a note.
    case normal
    /// Both exit 3.
    case strict
    /// Both exit 0.
    case lenient
}
