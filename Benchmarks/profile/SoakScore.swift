// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomMetrics
internal import CPlantedCode
internal import Foundation
internal import Synchronization

/// The labels under storms, for a long time.
struct SoakScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract:
            "Judges labels as `labels` does, while threads come and go, libraries are loaded, processes fork, and signals come.",
        discussion: """
            The profiler stops and starts again every 20 seconds. Prints a line for each of these rounds.

            Exit status: 0 if the labels are good, no forked process failed, and the heap in use did not grow; 1 if not.
            """
    )

    @Option(help: "How long: 5 to 86400.")
    var seconds = 20

    @Option(help: "The seed of the first round; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(help: "Samples per second of processor time: 10 to 250.")
    var rate = 97

    @Flag(help: "No processes are forked: for a sanitizer that does not allow it.")
    var noFork = false

    func validate() throws {
        guard (5...86_400).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); 5 to 86400 are allowed.")
        }
        guard (10...250).contains(rate) else { throw ValidationError("--rate is \(rate); 10 to 250 are allowed.") }
    }

    func run() async throws {
        let storms = Storms(forks: !noFork)
        storms.start()
        defer { storms.stop() }
        let clock = TimeSource.live
        let start = clock.now
        var (counts, memory, round) = (LabelCounts(), [Int](), seed)
        while clock.now.seconds(since: start) < Double(seconds) - 1 {
            let rest = Double(seconds) - clock.now.seconds(since: start)
            let more = try await LabelRun(seed: round, rate: rate).run(for: .milliseconds(Int64(min(20, rest) * 1_000)))
            counts += more
            // Not the own memory: what each of the system's arenas keeps for later depends on which threads were busy.
            memory.append(Int(ProcessStatistics.heapBytes ?? 0) / 1_024)
            let time = Int(clock.now.seconds(since: start))
            print(
                "\(time) s: right \(more.right), none \(more.none), wrong \(more.wrong + more.labelled), lost \(more.lost); "
                    + "\(storms.text); heap in use \(memory.last ?? 0) kB"
            )
            fflush(nil)
            round += 1
        }
        for line in counts.lines { print(line) }
        let grown = Self.growth(memory)
        let text = grown.map { "\($0.ratio.rounded3), \($0.kilobytes) kB more" } ?? "too few rounds"
        print("heap in use of the last quarter by that of the second: \(text)")
        print("processes that failed: \(storms.failures)")
        let hasGrown = grown.map { $0.ratio > 1.1 && $0.kilobytes > 1_024 } ?? false
        if !counts.isGood || storms.failures > 0 || hasGrown { throw ExitCode.failure }
    }

    /// Nil for fewer than eight readings.
    private static func growth(_ readings: [Int]) -> (ratio: Double, kilobytes: Int)? {
        let quarter = readings.count / 4
        guard quarter >= 2 else { return nil }
        let (second, last) = (readings[quarter..<2 * quarter].reduce(0, +), readings.suffix(quarter).reduce(0, +))
        return (Double(last) / Double(second), (last - second) / quarter)
    }
}

/// What disturbs the profiler, each on a thread of its own.
final class Storms: Sendable {
    private let forks: Bool
    private let isOver = Atomic(false)
    private let running = Atomic(0)
    private let threads = Atomic(0)
    private let forked = Atomic(0)
    private let failed = Atomic(0)
    private let loads = Atomic(0)

    init(forks: Bool) { self.forks = forks }

    var failures: Int { failed.load(ordering: .relaxed) }

    var text: String {
        """
        threads \(threads.load(ordering: .relaxed)), processes \(forked.load(ordering: .relaxed)), \
        libraries \(loads.load(ordering: .relaxed)), signals \(planted_signals())
        """
    }

    func start() {
        _ = planted_count_signal(SIGUSR1)
        let process = getpid()
        each(milliseconds: 1) { _ in kill(process, SIGUSR1) }
        each(milliseconds: 100) { $0.threads.wrappingAdd(Int(planted_threads(50, 100_000)), ordering: .relaxed) }
        each(milliseconds: 50) { $0.loads.wrappingAdd(Int(planted_load()), ordering: .relaxed) }
        guard forks else { return }
        each(milliseconds: 200) { storms in
            storms.forked.wrappingAdd(1, ordering: .relaxed)
            if planted_fork(100_000) != 0 { storms.failed.wrappingAdd(1, ordering: .relaxed) }
        }
        each(milliseconds: 500) { storms in
            storms.forked.wrappingAdd(1, ordering: .relaxed)
            let process = try? ChildProcess.start(["true"], ProcessInfo.processInfo.environment, [])
            let status = process.flatMap(ChildProcess.wait)?.status
            if status != 0 { storms.failed.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    /// Waits for the ends of the threads, at most 10 s.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        for _ in 0..<1_000 where running.load(ordering: .relaxed) > 0 { usleep(10_000) }
    }

    private func each(milliseconds: UInt32, _ action: @escaping @Sendable (Storms) -> Void) {
        running.wrappingAdd(1, ordering: .relaxed)
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                action(self)
                usleep(milliseconds * 1_000)
            }
            running.wrappingSubtract(1, ordering: .relaxed)
        }
    }
}

/// The memory of this process that no other one shares.
enum OwnMemory {
    static var kilobytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8) else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
