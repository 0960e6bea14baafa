// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// Finds the commit that made a benchmark worse.
struct BisectCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Finds the commit that made one benchmark worse, wrong with a probability of at most 1 %.",
        discussion: """
            Compares builds of revisions in pairs of processes, and each time those that say most for each second. What was \
            measured is kept, so that the same command goes on after an interruption. If a time got worse, the functions that \
            take longer since the commit before are named. Exit codes: 0 found, 1 refused: nothing got worse, 2 wrong usage, \
            3 inconclusive, 4 an unknown revision or a damaged file, 5 a build or a benchmark failed.
            """
    )

    @Argument(help: "A revision that is not worse yet.")
    var good: String

    @Argument(help: "A later one that is worse.")
    var bad: String

    @Option(help: "The name of the benchmark in older revisions and now, as OLD=NEW.")
    var renamed: String?

    @Flag(help: "Forget what an earlier bisection of the same revisions has measured.")
    var restart = false

    @Option(help: "How the result is written: text or json.")
    var format: BisectionReport.Format = .text

    @OptionGroup var options: RunOptions

    func validate() throws {
        guard try options.metrics == nil || options.metricSet.count == 1 else {
            throw ValidationError("--metrics is \(options.metrics ?? ""): bisect searches for one metric")
        }
    }

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
        let package = try PackageFolder(path: options.packagePath, product: options.product)
        // Fails before minutes are spent on builds. Which benchmarks there are, the bad revision decides.
        if try program.infos.count(where: { try options.matcher()($0.id) }) > 1 { _ = try benchmark(program.infos) }
        let commits = try BisectedCommits(good, bad, Git(folder: package.path))
        let counted = try options.metrics != nil && options.metricSet.isSubset(of: Metric.counts.union([.peakRSS]))
        let build = RevisionBuild(
            package: package,
            git: commits.git,
            buildOptions: options.buildOptions,
            isAligned: !options.asBuilt && package.configuration == "release" && !counted
        )
        let lock = try build.lock()
        defer { withExtendedLifetime(lock) {} }
        var search = CommitSearch(command: self, build: build, settings: try RunSettings(options))
        let status = try search.run(commits)
        if format == .json { print(search.json(status), terminator: "") }
        return status
    }

    /// The selected benchmark.
    func benchmark(_ infos: [BenchmarkInfo]) throws(BenchmarkError) -> BenchmarkInfo {
        if let exact = infos.first(where: { $0.id == options.filter }) { return exact }
        let selected = try options.selected(infos)
        guard selected.count == 1 else {
            let names = selected.prefix(20).map(\.id).joined(separator: ", ")
            throw BenchmarkError(.usage, "bisect searches for one benchmark: choose one with --filter of \(names)")
        }
        return selected[0]
    }

    /// The metric that is searched.
    func metric(_ benchmark: BenchmarkInfo) throws -> Metric {
        let named = try options.metrics == nil ? nil : options.metricSet.first
        let metric = benchmark.ownMetric ?? named ?? .wall
        let isOwn = benchmark.own != nil
        guard metric.kind != .information, isOwn ? named == nil || named == .value : metric != .value,
            benchmark.judgesTime || metric != .wall && metric != .cpu
        else {
            throw BenchmarkError(
                .usage,
                "\(named ?? metric) of \(benchmark.id) is not judged: name another in --metrics"
            )
        }
        return metric
    }

    /// The name of the benchmark in the good revision, if that is another one.
    func formerName(
        _ benchmark: BenchmarkInfo,
        old: [BenchmarkInfo],
        new: [BenchmarkInfo]
    ) throws(BenchmarkError) -> String? {
        let known = Set(old.map(\.id))
        if let renamed {
            let former = String(renamed.dropLast(benchmark.id.count + 1))
            guard renamed == "\(former)=\(benchmark.id)", known.contains(former) else {
                throw BenchmarkError(
                    .usage,
                    "--renamed is \(renamed): give OLD=\(benchmark.id), with the name of a benchmark of \(good)"
                )
            }
            return former
        }
        guard !known.contains(benchmark.id) else { return nil }
        let gone = old.filter { old in old.suite == benchmark.suite && !new.contains { $0.id == old.id } }
        let advice = gone.map { "--renamed \($0.id)=\(benchmark.id)" }.joined(separator: ", or ")
        let remedy = advice.isEmpty ? "name a later good revision" : "if it had another name, add \(advice)"
        throw BenchmarkError(.usage, "\(good) has no benchmark \(benchmark.id): \(remedy)")
    }
}

/// Searches a line of commits, and then the branch that the found one merged.
private struct CommitSearch {
    let command: BisectCommand
    let build: RevisionBuild
    let settings: RunSettings
    private let progress = Progress()
    private var subject: RevisionHistory.Subject?
    private var searches: [BisectionReport.Search] = []

    init(command: BisectCommand, build: RevisionBuild, settings: RunSettings) {
        (self.command, self.build, self.settings) = (command, build, settings)
    }

    mutating func run(_ commits: BisectedCommits) throws -> ExitStatus {
        let (result, bisection) = try search(commits)
        let (status, index) = (try report(result, bisection.history), searches.count)
        say("cost: \(bisection.history.programs.cost.words)")
        searches.append(BisectionReport.Search(result, bisection))
        guard case .found(let step) = result else { return status }
        let branches = commits.merged(step.commits.lowerBound)
        if try branches.isEmpty || !follow(branches, commits.git) {
            searches[index].functions = functions(step, bisection.history)
        }
        return status
    }

    func json(_ status: ExitStatus) -> String {
        var report = BisectionReport(
            benchmark: subject?.benchmark.id ?? "",
            metric: subject?.metric.name ?? "",
            searches: searches
        )
        report.exitCode = status.rawValue
        return ReportFormat.json(report)
    }

    private func say(_ line: String) {
        if command.format == .text { print(line) }
    }

    /// The functions that take longer since the commit before.
    private func functions(_ step: BisectedStep, _ history: RevisionHistory) -> ChangedFunctions? {
        var history = history
        let start = progress.seconds
        let pair = RevisionPair(step.commits.lowerBound - 1, step.commits.upperBound)
        guard let functions = history.functions(pair) else { return nil }
        say("\(functions.words), in \(Format.seconds(progress.seconds - start))")
        for line in FunctionTable.lines(functions) { say(line) }
        return functions
    }

    private func report(_ result: BisectionResult, _ history: RevisionHistory) throws -> ExitStatus {
        let commits = history.programs.commits
        switch result {
        case .refused(let change, let interval):
            say("refused: \(what) got no worse:\(Self.words(change, interval))")
            return .regression
        case .undecided(let reason, let likely):
            say("inconclusive: \(reason)")
            for commit in likely { say("\(Format.percent(commit.probability))  \(commits.title(commit.commit))") }
            return .inconclusive
        case .among(let step):
            say("inconclusive: \(what) got worse:\(try words(step, history)), at one of these commits;")
            say("all of them but the last cannot be built or measured:")
            for commit in step.commits { say(commits.title(commit)) }
            return .inconclusive
        case .found(let step):
            let doubt = Format.percent(max(1e-4, 1 - step.probability))
            say("found: \(what) got worse:\(try words(step, history))")
            say(commits.show(step.commits.lowerBound, "commit %H%nAuthor: %an <%ae>%nDate:   %ad%n%n    %s%n"))
            say("it is another commit with a probability of at most 1 % (by the model at most \(doubt))")
            return .success
        }
    }

    /// Searches the branches that were merged. If none is worse than where it left, the merge itself is.
    ///
    /// - Returns: Whether a commit of a branch was found.
    private mutating func follow(_ branches: [(good: String, bad: String)], _ git: Git) throws -> Bool {
        var isRefused = true
        for (number, branch) in branches.enumerated() {
            let name = branches.count > 1 ? "branch \(number + 1) of \(branches.count)" : "branch"
            say("that is a merge, so that its \(name) is searched from where it left")
            do {
                let status = try run(BisectedCommits(branch.good, branch.bad, git))
                guard status != .success else { return true }
                isRefused = isRefused && status == .regression
            } catch let error as BenchmarkError {
                say("the \(name) could not be searched: \(error)")
                isRefused = false
            }
        }
        let subject =
            branches.count > 1 ? "no branch is worse than where it left" : "the branch is no worse than where it left"
        if isRefused { say("\(subject): the merge itself is") }
        return false
    }

    private mutating func search(
        _ commits: BisectedCommits
    ) throws -> (BisectionResult, CommitBisection<RevisionHistory>) {
        let file = BisectionFile(path: "\(build.package.cache)/bisect-\(key(commits)).json")
        if command.restart { try? FileManager.default.removeItem(atPath: file.path) }
        let kept = try file.load()
        var programs = CommitPrograms(commits, build, progress)
        programs.cost = kept.cost
        let subject = try self.subject ?? chosen(&programs)
        self.subject = subject
        let history = RevisionHistory(programs: programs, subject: subject, settings: settings, file: file)
        var bisection = CommitBisection(
            history,
            state: kept.state,
            alpha: settings.alpha,
            minimumEffect: effect(subject),
            isCounted: subject.isCounted
        )
        return (try bisection.run(), bisection)
    }

    /// What leads to other measurements leads to another file.
    private func key(_ commits: BisectedCommits) -> String {
        let options = command.options
        let values: [String?] = [
            commits.hashes.first, commits.hashes.last, options.filter, options.metrics, options.minEffect,
            "\(options.suite) \(options.alpha) \(options.asBuilt) \(options.buildOptions)", command.renamed,
            build.package.product,
        ]
        return KeptFile.digest(values.map { $0 ?? "-" }.joined(separator: "\n").utf8)
    }

    /// What is measured, by the lists of the bad and of the good revision.
    private func chosen(_ programs: inout CommitPrograms) throws -> RevisionHistory.Subject {
        let new = try programs.program(programs.commits.hashes.count - 1).list()
        let benchmark = try command.benchmark(new)
        let metric = try command.metric(benchmark)
        let old = try programs.program(0).list()
        let former = try command.formerName(benchmark, old: old, new: new)
        return RevisionHistory.Subject(benchmark: benchmark, formerName: former, metric: metric)
    }

    /// The least relative effect.
    private func effect(_ subject: RevisionHistory.Subject) -> Double {
        switch subject.metric.kind {
        case .exact: 1e-6
        case .nearExact: CountJudge.nearExactFloor
        case .sampled where subject.benchmark.own == nil: settings.residentEffect
        default: subject.benchmark.minimumEffect ?? settings.minimumEffect
        }
    }

    private var what: String { subject.map { "\($0.benchmark.id) \($0.metric)" } ?? "" }

    private static func words(_ change: Double?, _ interval: ClosedRange<Double>?) -> String {
        let ends = interval.map { " (\(Format.change($0.lowerBound)) … \(Format.change($0.upperBound)))" } ?? ""
        return " \(change.map(Format.change) ?? "no change")\(ends)"
    }

    private func words(_ step: BisectedStep, _ history: RevisionHistory) throws -> String {
        guard history.subject.isCounted else { return Self.words(step.change, step.interval) }
        var history = history
        let counts = try [step.commits.lowerBound - 1, step.commits.upperBound].map {
            Format.number(try history.count($0))
        }
        return " \(counts[0]) before, \(counts[1]) at it"
    }
}
