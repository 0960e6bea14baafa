// SPDX-License-Identifier: Apache-2.0

/// How one benchmark is measured and judged. The defaults suit an operation of any length on one thread.
public struct BenchmarkOptions: Sendable {
    /// How long one sample takes; the number of iterations follows from it. 1 ms is long compared with reading a clock and
    /// short compared with a time slice of the scheduler.
    public var sampleDuration: Duration = .milliseconds(1)
    /// How many iterations are counted for exact metrics. The number is the same in every run, because growth that is
    /// amortized over iterations would otherwise change the counts.
    package var countedIterations = 64
    /// Why nothing is counted, if counts differ from run to run; nil if they are the same.
    package var uncounted: String?
    /// The least relative change of a time that counts; nil for that of the command line, by default 2 %.
    public var minimumEffect: Double?
    /// The least change of a time that counts, in nanoseconds for each iteration: below 0.2 ns the position of the code
    /// in memory decides.
    package var absoluteFloor = 0.2
    /// Whether an iteration takes less than a nanosecond by right, as a single store does. Of any other, reports ask whether
    /// the optimiser removed the work.
    package var isBelowNanosecond = false
    /// Whether times are judged; otherwise they are information.
    public var judgesTime = true
    /// Whether the process is pinned to one processor; otherwise times vary ten times as much. Not for a benchmark whose
    /// threads must run at the same time.
    package var isPinned = true
    /// Increase it when the body changes: numbers of different versions are not compared.
    public var version = 1
    /// The goal that reports show.
    public var goal: BenchmarkGoal?
    /// The bytes that an iteration processes, to report MB/s.
    public var bytesPerIteration: Double?

    /// The defaults.
    public init() {}

    /// The defaults with a goal.
    public static func goal(_ goal: BenchmarkGoal) -> BenchmarkOptions {
        var options = BenchmarkOptions()
        options.goal = goal
        return options
    }

    /// For a body whose threads run at the same time: on any processors, and times are not judged.
    public static var concurrent: BenchmarkOptions {
        var options = BenchmarkOptions()
        options.isPinned = false
        options.judgesTime = false
        return options
    }
}

/// The goal of a benchmark. Reports show goals beside the measurements. Only `--goals` judges them, by the best of several
/// processes: a machine may be slow for a moment.
public struct BenchmarkGoal: Hashable, Sendable {
    /// What a program's list has of a goal.
    struct Content: Codable, Hashable, Sendable {
        /// The limit: a multiple of the reference if there is one, otherwise in the unit of the benchmark.
        let limit: Double
        /// The benchmark whose time is the unit; nil to compare the value itself.
        var reference: String?
        /// The benchmark whose time is subtracted first.
        var without: String?
        /// The requirement as it is written in a specification; nil if there is none.
        var statement: String?
        /// What `--goals` judges in the place of the limit; nil if that is the limit.
        var held: Double?
    }

    private(set) var content: Content

    /// The goal, which is known to be missed: until it is met, `--goals` judges a ceiling.
    ///
    /// - Parameters:
    ///   - measured: What was measured last.
    ///   - margin: What the ceiling is above that, as a share. A ratio of times differs with the make of the processor.
    package func held(at measured: Double, margin: Double = 0.5) -> BenchmarkGoal {
        var goal = self
        goal.content.held = measured + measured * margin
        return goal
    }

    /// A time of at most `limit` times that of another benchmark of the same run.
    ///
    /// - Parameters:
    ///   - limit: The largest ratio.
    ///   - reference: The identifier of the other benchmark, as `floor/clock.read`.
    ///   - without: The identifier of a benchmark whose time is subtracted first, so that only the rest is judged.
    public static func atMost(_ limit: Double, times reference: String, without: String? = nil) -> BenchmarkGoal {
        BenchmarkGoal(content: Content(limit: limit, reference: reference, without: without))
    }

    /// A value of at most `limit`, in the unit of the benchmark: nanoseconds for a time.
    public static func atMost(_ limit: Double, _ statement: String? = nil) -> BenchmarkGoal {
        BenchmarkGoal(content: Content(limit: limit, statement: statement))
    }
}

extension BenchmarkGoal.Content {
    /// The benchmarks to which it refers.
    var others: [String] { [reference, without].compactMap(\.self) }

    var words: String {
        let unit = (reference.map { " × \($0)" } ?? "") + (without.map { " beyond \($0)" } ?? "")
        return statement ?? "at most \(Format.number(limit))\(unit)"
    }

    /// What is compared with the limit: the figure of the benchmark, or its ratio; nil if a figure is missing.
    func measured(_ id: String, _ figure: (String) -> Double?) -> Double? {
        let figures = [id, without, reference].map { $0.flatMap(figure) }
        guard let own = figures[0], without == nil || figures[1] != nil, reference == nil || figures[2] != nil
        else { return nil }
        return (own - (figures[1] ?? 0)) / (figures[2] ?? 1)
    }
}
