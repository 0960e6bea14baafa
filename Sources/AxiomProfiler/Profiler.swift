// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomInstrumentation
internal import AxiomMetrics

/// Samples what the threads of this process run, each sample under the action that its task runs.
///
/// ```swift
/// let telemetry = try Telemetry()
/// let profiler = try await Profiler.start(telemetry)
/// let orchestrator = Orchestrator(instrumentation: telemetry)
/// ```
/// It always samples, and keeps what it sampled for up to 15 minutes, in at most 768 KiB. The telemetry retains it until
/// ``stop()``. It needs Linux with glibc, and no privileges.
public final class Profiler: Sendable {
    /// How a profiler samples.
    public struct Options: Sendable, Hashable {
        /// Samples per second of processor time of each thread: 1 to 250. Default 97, which no timer of a program has.
        public var rate = 97
        /// The mean bytes between two sampled allocations: 4,096 to 1,073,741,824 (1 GiB). Default 524,288 (512 KiB). Used in
        /// programs that link AxiomAllocationSampler.
        public var allocationInterval = 512 << 10

        /// Creates options.
        public init() {}

        func check() throws(ProfilerError) {
            try ProfilerError.check("rate", rate, in: 1...250, "samples per second are 1 to 250", usual: "97")
            try ProfilerError.check(
                "allocationInterval",
                allocationInterval,
                in: 4_096...1 << 30,
                "the bytes between two samples are 4,096 to 1,073,741,824",
                usual: "524,288"
            )
        }
    }

    /// What a profiler has sampled since its start.
    public struct Counts: Sendable, Hashable {
        /// Samples of threads; each is labelled or outside.
        package var samples: Int { labelled + outside }
        /// Samples under an action.
        public internal(set) var labelled = 0
        /// Samples outside of actions.
        public internal(set) var outside = 0
        /// Samples for which there was no memory.
        public internal(set) var lost = 0
        /// The threads that are sampled now.
        public internal(set) var threads = 0
        /// The threads that are not, because there are more than 1,024, or because the kernel gives them no timer.
        public internal(set) var unsampledThreads = 0
        /// Why the sampling ended by itself; nil if it did not.
        public internal(set) var end: String?
    }

    /// Whether a profiler runs in this process. Guarded by its lock.
    private static let isRunning = Lock(false)

    private let engine: ProfilerEngine
    /// The telemetry retains its profiler.
    private weak let telemetry: Telemetry?
    private let registry: Registry
    /// Nil after the end.
    private let registration: Lock<CollectorRegistration?>

    private init(_ engine: ProfilerEngine, _ telemetry: Telemetry) {
        (self.engine, self.telemetry, registry) = (engine, telemetry, telemetry.registry)
        registration = Lock(telemetry.registry.register(engine))
    }

    /// Starts a profiler. Calls that began before have no label of their own, but that of their caller.
    ///
    /// - Parameters:
    ///   - telemetry: What observes the orchestrator. Its clock is the live one.
    ///   - options: How to sample.
    /// - Throws: ``ProfilerError`` if an option is out of range, a profiler runs in this process, or the system lacks what it
    ///   needs.
    @discardableResult
    public static func start(
        _ telemetry: Telemetry,
        _ options: Options = Options()
    ) async throws(ProfilerError) -> Profiler {
        try options.check()
        guard !telemetry.timeSource.isManual else {
            throw .unsupported("the telemetry has a manual clock", remedy: "Make the telemetry with clock: .live.")
        }
        let wasRunning = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return isRunning
        }
        if wasRunning { throw .running }
        let engine = ProfilerEngine(telemetry.profiledSpans, options)
        let profiler = Profiler(engine, telemetry)
        // Before the first sample, so that it has a label.
        guard telemetry.attach(profiler) else {
            profiler.stop()
            throw .running
        }
        do throws(ProfilerError) {
            try await engine.start()
        } catch {
            profiler.stop()
            throw error
        }
        return profiler
    }

    /// Ends the sampling, and what it costs calls. What was sampled can still be written with ``write(_:seconds:to:)`` of this
    /// profiler; dashboards do not show it any more.
    public func stop() {
        guard let ended = registration.withLock({ $0.take() }) else { return }
        telemetry?.detach(self)
        _ = registry.unregister(ended)
        engine.stop()
        Self.isRunning.withLock { $0 = false }
    }

    deinit { stop() }

    /// The samples until now.
    public var counts: Counts { engine.counts }

    /// Writes what was sampled last to a file, which it replaces. Costs some milliseconds, and the reading of the symbols of
    /// modules with functions that were not read before.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - seconds: The length of the range, which ends now or with the sampling: 1 to 60.
    ///   - path: The path of the file.
    /// - Throws: ``ProfilerError`` if `seconds` is out of range or the file cannot be written.
    public func write(_ format: ProfileFormat, seconds: Int = 60, to path: String) throws(ProfilerError) {
        try ProfilerError.check("seconds", seconds, in: 1...60, "a range has 1 to 60 seconds", usual: "60")
        var query = ProfileQuery()
        query.seconds = seconds
        do {
            var file = try AtomicFile(path)
            try file.write(self.file(of: profile(query), format))
        } catch {
            throw .notWritten(path, error)
        }
    }

    private func file(of profile: Profile, _ format: ProfileFormat) -> [UInt8] {
        let clock = TimeSource.live
        return format.file(of: profile, began: clock.secondsSinceEpoch - clock.now.seconds(since: profile.start))
    }
}

extension Profiler: ProfileSource {
    package func profile(_ query: ProfileQuery) -> Profile { engine.profile(query) }

    package func file(of profile: Profile, format: String) -> [UInt8]? {
        ProfileFormat(rawValue: format).map { file(of: profile, $0) }
    }
}

extension ProfilerEngine: Collector {
    func collect() -> [CollectedFamily] {
        let counts = counts
        var family = CollectedFamily.counter(
            "axiom_profiler_samples_total",
            help: "Samples of threads: under an action, outside of actions, and lost for lack of memory.",
            labels: "result"
        )
        for (count, result) in [(counts.labelled, "labelled"), (counts.outside, "outside"), (counts.lost, "lost")] {
            family.add(Double(count), result)
        }
        return [family]
    }
}
