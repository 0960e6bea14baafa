// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

extension Registry {
    /// Reads all metrics. May be called from several threads concurrently.
    ///
    /// Each series is consistent. Two series are read one after the other, so an event between the reads may show in only
    /// one of them. Asynchronous collectors are not called: see ``collect(deadline:)``.
    public func collect() -> Snapshot {
        collect(exemplars: true)
    }

    /// Reads all metrics, as ``collect()`` does.
    ///
    /// - Parameter exemplars: Whether the source of exemplars is called. A page in text 0.0.4 does not show exemplars.
    package func collect(exemplars: Bool) -> Snapshot {
        finish(collectNow(exemplars: exemplars))
    }

    /// Reads all metrics, including those of asynchronous collectors, and returns soon after the deadline at the latest.
    ///
    /// A collector that has not returned by then is cancelled. Its families are missing, ``Snapshot/problems`` reports it,
    /// and it is not called again before it has returned. The deadline applies only to asynchronous collectors: a callback
    /// or a ``Collector`` that does not return cannot be stopped.
    ///
    /// - Parameter deadline: An instant of the registry's clock: the end of Prometheus' scrape timeout
    ///   (`X-Prometheus-Scrape-Timeout-Seconds`) less the time to send the response.
    public func collect(deadline: Instant) async -> Snapshot {
        await collect(deadline: deadline, exemplars: true)
    }

    /// Reads all metrics, as ``collect(deadline:)`` does.
    ///
    /// - Parameter exemplars: As in ``collect(exemplars:)``.
    package func collect(deadline: Instant, exemplars: Bool) async -> Snapshot {
        let sources = state.withLock { $0.asyncCollectors }
        guard !sources.isEmpty else { return collect(exemplars: exemplars) }
        let gathering = AsyncGathering(sources)
        let outcomes = await gathering.run(until: deadline, context.clock)
        var page = collectNow(exemplars: exemplars)
        for (source, outcome) in zip(sources, outcomes) { page.add(outcome, of: source) }
        return finish(page)
    }

    /// Whether there are asynchronous collectors. Without them ``collect()`` reads all metrics.
    package var hasAsyncCollectors: Bool { state.withLock { !$0.asyncCollectors.isEmpty } }

    /// Reads the registered families with these names, in their order; nil for names that are not registered. Does not call
    /// callbacks or collectors, so reading a few totals often costs little.
    package func collect(families names: [String]) -> [FamilySnapshot?] {
        let families = state.withLock { state in names.map { state.families[ByteName($0)] } }
        return families.map { $0?.collect() }
    }

    /// The number of series of all registered families, and the number of refused look-ups.
    package var seriesCounts: (series: Int, refused: UInt64) {
        let families = state.withLock { Array($0.families.values) }
        return families.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.refusals) }
    }

    /// All families except those of asynchronous collectors.
    private func collectNow(exemplars: Bool) -> SnapshotBuilder {
        let state = state.withLock { $0 }
        var page = SnapshotBuilder(claims: state.claims, context: context)
        // Before the values, which therefore include nearly all observations that the exemplars are of.
        let found = exemplars ? state.exemplarSource?.findExemplars() : nil
        let families = state.families.values.map { $0.collect(found ?? .none) }
        for family in families { page.add(family) }
        if state.showsItself { page.addOwnMetrics(of: families, ownDefinitions) }
        for callback in state.callbacks.values { page.add(callback) }
        for collector in state.collectors { page.add(collector) }
        return page
    }

    /// Counts and reports the problems of the page.
    private func finish(_ page: consuming SnapshotBuilder) -> Snapshot {
        problems.record(page.problems, at: context.clock.now)
        if state.withLock({ $0.showsItself }) { page.addProblemCounts(problems.counts, ownDefinitions) }
        return page.finish()
    }
}

/// Counts the problems of collections, and reports each problem at most once a minute.
final class ProblemReports: Sendable {
    /// Why metrics are missing, as a label of the registry's own counter.
    enum Reason: String, CaseIterable {
        case failed
        case late
        case invalid

        init(_ code: MetricsError.Code) {
            switch code {
            case .collectorFailed: self = .failed
            case .collectorLate: self = .late
            default: self = .invalid
            }
        }
    }

    fileprivate struct State {
        var counts: [Reason: UInt64] = [:]
        /// When each problem was last reported.
        var reported: [String: Instant] = [:]
    }

    static let interval = Duration.seconds(60)
    /// The most problems whose last report is remembered.
    fileprivate static let capacity = 1_024

    private let onProblem: @Sendable (MetricsError) -> Void
    /// The lock is not held while `onProblem` runs.
    private let state = Lock(State())

    init(_ onProblem: @escaping @Sendable (MetricsError) -> Void) { self.onProblem = onProblem }

    /// The number of problems by reason.
    var counts: [Reason: UInt64] { state.withLock { $0.counts } }

    /// Counts the problems of one page and reports those that are due.
    func record(_ problems: [MetricsError], at now: Instant) {
        guard !problems.isEmpty else { return }
        let due = state.withLock { state in
            problems.filter { problem in
                state.counts[Reason(problem.code), default: 0] += 1
                return state.isDue(problem, now)
            }
        }
        for problem in due { onProblem(problem) }
    }
}

extension ProblemReports.State {
    /// Whether a problem was not reported within the last minute. If so, marks it as reported now.
    fileprivate mutating func isDue(_ problem: MetricsError, _ now: Instant) -> Bool {
        // The message may contain a value that differs each time.
        let key = "\(problem.code) \(problem.family ?? problem.message)"
        if let last = reported[key], last.advanced(by: ProblemReports.interval) > now { return false }
        if reported.count >= ProblemReports.capacity { reported = [:] }
        reported[key] = now
        return true
    }
}

extension MetricsError {
    /// Writes a line about a missing metric to a file descriptor, by default standard error. This is what a registry does
    /// by default. Another thread writes the line. Control characters are written as `\\u{…}`.
    @usableFromInline package func log(to descriptor: Int32 = 2) {
        WarningLine.write("a metric is missing from the page: \(description.printable)", to: descriptor)
    }
}

/// A page of metrics, for the response of a server of your own.
public struct ExpositionPage: Sendable, Hashable {
    /// The value of the header `Content-Type`.
    public let contentType: String
    /// The body. It is not compressed: gzip reduces it to a tenth.
    public let bytes: [UInt8]
}

extension Registry {
    /// The page of all metrics but those of asynchronous collectors, in the format that the reader asks for.
    ///
    /// - Parameter accept: The value of the header `Accept`, several of them joined with commas; nil if the request has none.
    public func page(accept: String?) -> ExpositionPage {
        Self.page(of: collect(), accept)
    }

    /// The page of all metrics, in the format that the reader asks for.
    ///
    /// - Parameters:
    ///   - accept: As in ``page(accept:)``.
    ///   - scrapeTimeout: The value of Prometheus's header `X-Prometheus-Scrape-Timeout-Seconds`: asynchronous collectors have
    ///     nine tenths of it. If it is nil, or no number above 0 and below 86,400, it is 10 s, which is Prometheus's default.
    public func page(accept: String?, scrapeTimeout: String?) async -> ExpositionPage {
        Self.page(of: await collect(deadline: deadline(scrapeTimeout: scrapeTimeout)), accept)
    }

    /// When the collection for a reader with this timeout ends. A tenth of the timeout is left for encoding and sending.
    package func deadline(scrapeTimeout: String?) -> Instant {
        let seconds = scrapeTimeout.flatMap(Double.init).flatMap { $0 > 0 && $0 < 86_400 ? $0 : nil }
        return clock.now.advanced(by: .seconds(seconds ?? 10) * 9 / 10)
    }

    private static func page(of snapshot: Snapshot, _ accept: String?) -> ExpositionPage {
        let format = ExpositionFormat.negotiate(accept: accept)
        var buffer = ExpositionBuffer()
        format.encode(snapshot, into: &buffer)
        return ExpositionPage(contentType: format.contentType, bytes: buffer.bytes)
    }
}
