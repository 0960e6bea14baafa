// SPDX-License-Identifier: Apache-2.0

internal import CAxiomProcess
internal import Dispatch
internal import Foundation

/// A worker: serves requests about one benchmark until its parent closes the channel.
struct WorkerLoop {
    private let benchmark: Benchmark
    private let channel: Channel
    private let injected: Double
    private let counter: Int32?

    /// Serves on a new thread and leaves the main thread to the main actor, which fixtures and bodies may use. Exits the
    /// process.
    static func serve(_ benchmark: Benchmark, processor: Int?, injected: Double) -> Never {
        axiom_die_with_parent()
        // Before there are other threads: a thread inherits the processors of its creator.
        if let processor { _ = axiom_pin_to_processor(Int32(processor)) }
        Thread.detachNewThread {
            // Starts the main queue, so that its allocations are not counted later.
            DispatchQueue.main.sync {}
            exit(WorkerLoop(benchmark: benchmark, injected: injected).run())
        }
        dispatchMain()
    }

    private init(benchmark: Benchmark, injected: Double) {
        self.benchmark = benchmark
        self.injected = injected
        let descriptor = axiom_open_instruction_counter()
        counter = descriptor >= 0 ? descriptor : nil
        channel = Channel(input: STDIN_FILENO, output: Channel.replyDescriptor)
    }

    /// Serves until the channel closes. Returns the exit code of the process.
    private func run() -> Int32 {
        do {
            guard channel.send(WorkerCommand.greeting) else { return 0 }
            switch benchmark.work {
            case .body(let make):
                let sampler = Sampler(try make(), injected: injected, instructionCounter: counter)
                serve { try answer($0, sampler) }
            case .nothing(let reason):
                serve { _ in "error \(reason)" }
            case .value(_, let measure):
                serve { $0 == .value ? "ok \(try measure())" : try answer($0, nil) }
            }
        } catch {
            _ = channel.send("error \(Self.words(error))")
        }
        return 0
    }

    private func serve(_ answer: (WorkerCommand) throws -> String) {
        while case .line(let line) = channel.receive() {
            var reply = "error the worker does not know \"\(line)\""
            if let command = WorkerCommand(line) {
                do {
                    reply = try answer(command)
                } catch {
                    reply = "error \(Self.words(error))"
                }
            }
            guard channel.send(reply) else { return }
        }
    }

    private func answer(_ command: WorkerCommand, _ sampler: Sampler?) throws -> String {
        if command == .facts {
            let usage = ProcessFacts.usage
            return "ok \(ProcessFacts.peakResidentBytes ?? -1) \(usage.faults) \(usage.switches)"
        }
        guard let sampler else { return "error \(benchmark.id) is a value and has no samples" }
        switch command {
        case .calibrate(let nanoseconds):
            let calibration = try sampler.calibrate(Double(nanoseconds))
            return "ok \(calibration.iterations) \(calibration.nanoseconds) \(calibration.growth)"
        case .sample(let iterations):
            let sample = try sampler.sample(iterations)
            return "ok \(sample.wall) \(sample.cpu)"
        case .count(let iterations):
            let reading = try sampler.count(iterations)
            return "ok \(reading.allocations) \(reading.bytes) \(reading.instructions)"
        case .references(let iterations):
            guard axiom_count_references() == 1 else { return "ok -1 -1" }
            let reading = try sampler.count(iterations)
            return "ok \(reading.retains) \(reading.releases)"
        case .profile(let milliseconds, let iterations, let path):
            let costs = try sampler.profile(iterations, for: .milliseconds(milliseconds))
            try costs.text.write(toFile: path, atomically: false, encoding: .utf8)
            return "ok \(costs.iterations) \(costs.samples)"
        case .value, .facts:
            return "error \(benchmark.id) is no value"
        }
    }

    private static func words(_ error: any Error) -> String {
        "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// Figures of this process from the system.
enum ProcessFacts {
    /// The peak resident size in bytes, from `VmHWM`: that of `getrusage` includes the program that started this one. Nil
    /// if the system does not have it.
    static var peakResidentBytes: Double? {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 * 1_024 }
    }

    /// Page faults, and voluntary and involuntary context switches so far.
    static var usage: (faults: Int, switches: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw)
    }

    /// Processor time of this process and of its children that ended, in seconds.
    static var processorSeconds: Double {
        [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, whose in
            var usage = rusage()
            getrusage(__rusage_who_t(whose), &usage)
            let times = [usage.ru_utime, usage.ru_stime]
            return times.reduce(sum) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
    }

    /// The processors on which this process may run.
    static var processors: [Int] {
        var mask = [UInt64](repeating: 0, count: 16)
        axiom_allowed_processors(&mask)
        return (0..<1_024).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    }
}
