// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// What a bisection has cost, also before an interruption.
struct BisectionCost: Codable {
    var builds = 0
    var buildSeconds = 0.0
    var pairs = 0
    var pairSeconds = 0.0
    var processorSeconds = 0.0

    var words: String {
        "\(builds) builds in \(Format.seconds(buildSeconds)), \(pairs) pairs in \(Format.seconds(pairSeconds)), "
            + "\(Format.seconds(processorSeconds)) of processor time"
    }
}

/// Keeps a bisection in a file, with the digest of the rest in its first line.
struct BisectionFile {
    struct Content: Codable {
        var state = BisectionState()
        var cost = BisectionCost()
    }

    let path: String

    /// - Throws: ``BenchmarkError`` with the code `baseline` if the file is damaged.
    func load() throws(BenchmarkError) -> Content {
        guard FileManager.default.fileExists(atPath: path) else { return Content() }
        let lines = FileManager.default.contents(atPath: path)?.split(separator: UInt8(ascii: "\n"), maxSplits: 1) ?? []
        guard lines.count == 2, String(decoding: lines[0], as: UTF8.self) == KeptFile.digest(lines[1]),
            let content = try? JSONDecoder().decode(Content.self, from: lines[1])
        else { throw BenchmarkError(.baseline, "\(path) is damaged: begin the bisection again with --restart") }
        return content
    }

    func save(_ content: Content) throws(BenchmarkError) {
        do {
            let bytes = try JSONEncoder().encode(content)
            try AtomicFile.write(Array("\(KeptFile.digest(bytes))\n".utf8) + bytes, to: path)
        } catch {
            throw BenchmarkError(.system, "could not keep the bisection in \(path)", cause: "\(error)")
        }
    }
}

/// Builds the commits of a package in a worktree.
struct CommitPrograms {
    let commits: BisectedCommits
    let build: RevisionBuild
    let progress: Progress
    var cost = BisectionCost()
    private var known: [Int: MeasuredProgram] = [:]

    init(_ commits: BisectedCommits, _ build: RevisionBuild, _ progress: Progress) {
        (self.commits, self.build, self.progress) = (commits, build, progress)
    }

    func isBuilt(_ commit: Int) -> Bool { known[commit] != nil || build.isKept(commits.hashes[commit]) }

    /// - Throws: ``BenchmarkError`` with the code `buildFailed`, with what the compiler said.
    mutating func program(_ commit: Int) throws(BenchmarkError) -> MeasuredProgram {
        if let program = known[commit] { return program }
        let (isKept, start) = (isBuilt(commit), (progress.seconds, ProcessFacts.processorSeconds))
        defer {
            if !isKept { cost.builds += 1 }
            cost.buildSeconds += progress.seconds - start.0
            cost.processorSeconds += ProcessFacts.processorSeconds - start.1
        }
        let program = try build.program(commits.hashes[commit], named: commits.show(commit, "%s"))
        known[commit] = program
        return program
    }
}

/// The commits of a package as a bisection sees them: compares two of them as the gate does.
struct RevisionHistory: BisectedHistory {
    /// What is measured.
    struct Subject {
        /// The benchmark of the bad commit.
        let benchmark: BenchmarkInfo
        /// Its name in older commits, if it was renamed.
        let formerName: String?
        let metric: Metric
        var isCounted: Bool { metric.kind == .exact || metric.kind == .nearExact }
    }

    private(set) var programs: CommitPrograms
    let subject: Subject
    let settings: RunSettings
    let file: BisectionFile
    /// What was counted, by commit.
    private(set) var counts: [Int: Double] = [:]

    var last: Int { programs.commits.hashes.count - 1 }
    var isOver: Bool { settings.budget.map { programs.progress.seconds > $0 } ?? false }
    /// A minute before the first build.
    var buildSeconds: Double {
        programs.cost.builds == 0 ? 60 : programs.cost.buildSeconds / Double(programs.cost.builds)
    }
    var pairSeconds: Double { programs.cost.pairs == 0 ? 1 : programs.cost.pairSeconds / Double(programs.cost.pairs) }
    func isBuilt(_ commit: Int) -> Bool { programs.isBuilt(commit) }

    mutating func build(_ commit: Int) throws -> Bool {
        do {
            let program = try measurable(commit)
            if subject.isCounted {
                _ = try count(commit)
            } else {
                // One that crashes is found here.
                _ = try SamplingPlan(program, subject.benchmark, processor: nil)
            }
            return true
        } catch {
            guard [.buildFailed, .crashed].contains(error.code) else { throw error }
            StandardError.write("\(programs.commits.title(commit)) is left out: \(error)")
            return false
        }
    }

    /// The program of a commit, which knows the benchmark by its present name.
    private mutating func measurable(_ commit: Int) throws(BenchmarkError) -> MeasuredProgram {
        var program = try programs.program(commit)
        let (list, benchmark) = (try program.list(), subject.benchmark)
        let info = list.first { $0.id == benchmark.id } ?? list.first { $0.id == subject.formerName }
        guard let info, info.version == benchmark.version, info.unmeasured == nil else {
            throw BenchmarkError(.crashed, "it has no benchmark \(benchmark.id) of version \(benchmark.version)")
        }
        if info.id != benchmark.id { program.renamed = [benchmark.id: info.id] }
        return program
    }

    /// What a commit counts.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` if it cannot be counted, or if its runs differ.
    mutating func count(_ commit: Int) throws(BenchmarkError) -> Double {
        if let known = counts[commit] { return known }
        let counter = CountRunner(counters: Counters(), metrics: [subject.metric])
        let runs = try counter.counts(try measurable(commit), subject.benchmark)[subject.metric] ?? []
        let same = CountJudge.judge(subject.benchmark.id, subject.metric, baseline: runs, current: runs)
        guard same.kind == .ok, let least = runs.min() else {
            let reason = counter.reasons[subject.metric] ?? (runs.isEmpty ? "no number" : same.detail)
            throw BenchmarkError(.crashed, "\(subject.metric) of \(subject.benchmark.id) cannot be counted: \(reason)")
        }
        counts[commit] = least
        return least
    }

    mutating func compare(_ pair: RevisionPair, pairs: Int) throws -> [Double] {
        let start = (programs.progress.seconds, ProcessFacts.processorSeconds)
        let logRatios = try subject.isCounted ? counted(pair, pairs) : measured(pair, pairs)
        if logRatios.isEmpty, !isOver {
            throw BenchmarkError(.crashed, "\(subject.benchmark.id) gives no \(subject.metric): choose another metric")
        }
        programs.cost.pairs += subject.isCounted ? 0 : logRatios.count
        programs.cost.pairSeconds += programs.progress.seconds - start.0
        programs.cost.processorSeconds += ProcessFacts.processorSeconds - start.1
        let change = (try? Statistics.median(logRatios)).map { Format.change(expm1($0)) } ?? "nothing"
        let numbers = [pair.older, pair.newer].compactMap { counts[$0].map(Format.number) }.joined(separator: " to ")
        let hashes = [pair.older, pair.newer].map { programs.commits.hashes[$0].prefix(10) }.joined(separator: " to ")
        StandardError.write("\(hashes): \(subject.isCounted ? numbers : "\(change) in \(logRatios.count) pairs")")
        return logRatios
    }

    /// The functions that take longer in the newer commit; nil if the metric is no time.
    mutating func functions(_ pair: RevisionPair) -> ChangedFunctions? {
        guard subject.metric == .wall || subject.metric == .cpu else { return nil }
        do {
            return try session(pair).functions(of: subject.benchmark)
        } catch {
            return ChangedFunctions(reason: "\(error)")
        }
    }

    private mutating func measured(_ pair: RevisionPair, _ count: Int) throws -> [Double] {
        try session(pair).logRatios(subject.metric, pairs: count)
    }

    private mutating func session(_ pair: RevisionPair) throws(BenchmarkError) -> DuetSession {
        var settings = settings
        (settings.metrics, settings.measuresControls) = ([subject.metric], false)
        // Another order of functions and of samples than in the comparisons before.
        settings.seed &+= UInt64(programs.cost.pairs)
        return try DuetSession(
            baseline: try measurable(pair.older),
            current: try measurable(pair.newer),
            benchmarks: [subject.benchmark],
            settings: settings,
            progress: programs.progress
        )
    }

    /// The same ratio for each pair, also where nothing was counted before.
    private mutating func counted(_ pair: RevisionPair, _ count: Int) throws -> [Double] {
        let ratio = try log1p(self.count(pair.newer)) - log1p(self.count(pair.older))
        return Array(repeating: subject.metric.isLowerBetter ? ratio : -ratio, count: count)
    }

    func keep(_ state: BisectionState) throws {
        try file.save(BisectionFile.Content(state: state, cost: programs.cost))
    }
}
