// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomProfiler
internal import CPlantedCode
internal import Foundation

/// What the profiler costs the demo.
struct CostScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost",
        abstract:
            "Runs axiom-demo with and without the profiler in turns, and compares the processor time of an action.",
        discussion: """
            Prints the median of the quotients of all rounds, and an interval that has the true median with 95 %.

            Exit status: 0 if the interval has a value of at most 1.01; 1 if not; 2 if the demo does not run.
            """
    )

    @Option(help: "The program; by default the one beside this program.")
    var demo: String?

    @Option(help: "How many runs of each kind: 6 to 1000.")
    var rounds = 10

    @Option(help: "How long a run takes: 1 to 600.")
    var seconds = 10

    @Option(help: "The steps of all shoppers together per second.")
    var rate = 400

    @Flag(help: "Both runs without the profiler: what the measurement itself says.")
    var same = false

    func validate() throws {
        guard (6...1_000).contains(rounds) else {
            throw ValidationError("--rounds is \(rounds); 6 to 1000 are allowed.")
        }
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); 1 to 600 are allowed.")
        }
    }

    func run() async throws {
        var quotients: [Double] = []
        for round in 0..<rounds {
            let isFirst = round % 2 == 0
            let one = try microseconds(profiled: isFirst && !same, seed: round)
            let other = try microseconds(profiled: !isFirst && !same, seed: round)
            let (on, off) = isFirst ? (one, other) : (other, one)
            quotients.append(on / off)
            print(
                "round \(round + 1): with \(on.rounded3) µs, without \(off.rounded3) µs, quotient \((on / off).rounded3)"
            )
            fflush(nil)
        }
        let (median, low, high) = Self.median(quotients)
        print("processor time of an action, with by without: \(median.rounded3) (\(low.rounded3) to \(high.rounded3))")
        if low > 1.01 { throw ExitCode.failure }
    }

    /// The processor time of an action.
    private func microseconds(profiled: Bool, seed: Int) throws -> Double {
        let path =
            demo
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "axiom-demo").path
        let output = Pipe()
        let options = ["--port", "0", "--rate", "\(rate)", "--steps", "\(rate * seconds)", "--seed", "\(seed)"]
        let process = try ChildProcess.start(
            [path] + options + (profiled ? [] : ["--no-profile"]),
            ProcessInfo.processInfo.environment,
            [(output.fileHandleForWriting.fileDescriptor, 1)]
        )
        try output.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard let end = ChildProcess.wait(process), end.status == 0,
            let actions = text.firstMatch(of: /(\d+) actions;/).flatMap({ Double($0.output.1) }), actions > 0
        else {
            print("\(path) did not run to its end: \(text)")
            throw ExitCode(2)
        }
        return end.processorTime / 1_000 / actions
    }

    /// The median and an interval for it, from the order of the values alone.
    private static func median(_ values: [Double]) -> (Double, Double, Double) {
        let (sorted, count) = (values.sorted(), values.count)
        // The greatest rank below which the median lies with at most 2.5 %.
        var (rank, term, sum) = (0, pow(0.5, Double(count)), 0.0)
        while rank < count / 2, sum + term <= 0.025 {
            sum += term
            rank += 1
            term *= Double(count - rank + 1) / Double(rank)
        }
        let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
        return (middle, sorted[max(0, rank - 1)], sorted[min(count - 1, count - rank)])
    }
}

/// What the profiler needs of memory.
struct MemoryScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory",
        abstract: "Starts the profiler in a process with many busy threads, and prints how its own memory grows.",
        discussion: "Exit status: 0 if it grows by at most 2 MiB while no profile is read; 1 if it grows by more."
    )

    @Option(help: "How many threads: 1 to 500.")
    var threads = 64

    @Option(help: "How long: 2 to 600.")
    var seconds = 15

    func validate() throws {
        guard (1...500).contains(threads) else {
            throw ValidationError("--threads is \(threads); 1 to 500 are allowed.")
        }
        guard (2...600).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); 2 to 600 are allowed.")
        }
    }

    func run() async throws {
        let telemetry = try Telemetry()
        let isOver = Lock(false)
        for _ in 0..<threads {
            Thread.detachNewThread { while !isOver.withLock({ $0 }) { PlantedCall.consume(planted_c_burn(100_000)) } }
        }
        try await Task.sleep(for: .seconds(2))
        let before = OwnMemory.kilobytes
        let profiler = try await Profiler.start(telemetry)
        try await Task.sleep(for: .seconds(seconds))
        // On a machine with other work, threads get little of the processor: each is to have filled a part of its ring.
        for _ in 0..<60 where profiler.counts.samples < 10 * threads { try await Task.sleep(for: .seconds(1)) }
        let after = OwnMemory.kilobytes
        let counts = profiler.counts
        isOver.withLock { $0 = true }
        _ = telemetry.readings.profiler?.profile(ProfileQuery())
        let read = OwnMemory.kilobytes
        profiler.stop()
        print(
            """
            \(threads) threads, \(counts.samples) samples: \(before) kB before the start, \(after - before) kB more after them
            after a profile was read, with its symbol tables: \(read - before) kB more
            """
        )
        if after - before > 2_048 { throw ExitCode.failure }
    }
}
