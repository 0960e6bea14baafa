// SPDX-License-Identifier: Apache-2.0

/// How one benchmark is measured and judged. The defaults suit an operation of any length on one thread.
public struct BenchmarkOptions: Sendable {
    /// How long one sample should take; as many iterations are made. A sample of 1 ms is long beside a clock's reading
    /// and short beside a scheduler's turn.
    public var sampleDuration: Duration = .milliseconds(1)
    /// How many iterations are counted for the metrics that are exact. The same number in every run, or growth that is
    /// spread over many iterations would make counts differ.
    public var countedIterations = 64
    /// The least relative change of a time that counts; nil for that of the command line, 2 % unless told otherwise.
    public var minimumEffect: Double?
    /// The least change of a time in nanoseconds for each iteration that counts: below a fifth of a nanosecond, where
    /// the code lies in memory decides.
    public var absoluteFloor = 0.2
    /// Whether times are judged; otherwise they are information.
    public var judgesTime = true
    /// Whether the process is put on one processor, without which times vary ten times as much. Not for a benchmark
    /// whose threads must run at the same time.
    public var isPinned = true
    /// Raise it when the body does something else than before: its times are then not compared with older ones.
    public var version = 1
    /// What the benchmark should be.
    public var goal: BenchmarkGoal?
    /// How many bytes an iteration works through, to report MB/s.
    public var bytesPerIteration: Double?
    /// Words to select it by.
    public var tags: [String] = []

    /// The defaults.
    public init() {}

    /// The defaults with a goal.
    public static func goal(_ goal: BenchmarkGoal) -> BenchmarkOptions {
        var options = BenchmarkOptions()
        options.goal = goal
        return options
    }

    /// For a body whose threads run at the same time: on any processors, its times being information.
    public static var concurrent: BenchmarkOptions {
        var options = BenchmarkOptions()
        options.isPinned = false
        options.judgesTime = false
        return options
    }
}
