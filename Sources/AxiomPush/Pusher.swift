// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomMetrics
internal import Logging
public import ServiceLifecycle

/// Pushes the metrics of a registry to receivers on an interval, and once more at the end.
///
/// ```swift
/// let pusher = try Pusher(
///     registry: registry,
///     to: [.remoteWrite("http://127.0.0.1:9090/api/v1/write")]
/// )
/// try await pusher.run()
/// ```
/// It is a `Service` of swift-service-lifecycle: ``run()`` pushes until the group shuts down. A receiver that is away delays
/// neither the application nor the other receivers. Memory is bounded: remote write, traces and logs have queues with a limit;
/// the other destinations keep one snapshot, the latest or, for deltas, the earliest. What is dropped is counted in
/// `axiom_push_dropped_samples_total`.
public final class Pusher: Service {
    private let registry: Registry
    private let interval: Duration
    private let finalTimeout: Duration
    private let clock: TimeSource
    private let deliveries: [Delivery]
    private let report: @Sendable (String) -> Void
    /// Guarded by its lock.
    private let sampleTime = Lock(SampleTime())
    /// Whether ``run()`` was called. Guarded by its lock.
    private let hasRun = Lock(false)

    /// Creates a pusher, which does not push yet, and registers its metrics (`axiom_push_*`) in the registry.
    ///
    /// - Parameters:
    ///   - registry: What to push.
    ///   - targets: Where to push. Their names must differ.
    ///   - interval: The time between two snapshots, 100 ms...1 day. Default: 15 s, the interval of the scrape
    ///     configuration of Axiom.
    ///   - finalTimeout: How long the push at the end may take in all, 0 s...1 h. Default: 5 s.
    ///   - attempts: How often one push is tried before it waits for the next snapshot, 1...100. Default: 4, with the waits of
    ///     an exponential backoff from 200 ms to 10 s with full jitter, or those that the receiver asks for. The retry budget
    ///     of each destination limits retries further (`RetryBudget.tokenRatio()`).
    ///   - clock: The clock of the interval, of the retries and of the time of samples.
    ///   - onFailure: Receives a message when a destination begins to fail, when it works again, for each push that the
    ///     receiver refused, and when the wall clock was set back to more than 10 s before the last sample. By default messages are logged with the
    ///     label `axiom.push`.
    /// - Throws: ``PushError`` if an option is out of range or two targets have one name; `MetricsError` if the registry has
    ///   other metrics with the names of the pusher.
    public init(
        registry: Registry,
        to targets: [PushTarget],
        interval: Duration = .seconds(15),
        finalTimeout: Duration = .seconds(5),
        attempts: Int = 4,
        clock: TimeSource = .live,
        onFailure: (@Sendable (String) -> Void)? = nil
    ) throws {
        try Self.check(targets, interval, finalTimeout, attempts)
        // A logger for each message, so that it uses the logging system that the application has bootstrapped by then.
        let report = onFailure ?? { Logger(label: "axiom.push").warning("\($0)") }
        self.registry = registry
        self.interval = interval
        self.finalTimeout = finalTimeout
        self.clock = clock
        self.report = report
        deliveries = try targets.map {
            try Delivery($0.destination, registry, clock, attempts: attempts, report: report)
        }
    }

    /// Pushes a snapshot now and after each interval, until the service group shuts down gracefully or the task is
    /// cancelled. Then pushes the last snapshot, and the ends of the series of remote write, within the final timeout.
    ///
    /// - Throws: ``PushError`` if it was called before, or if another pusher of this process runs that has a target of the same
    ///   name for the registry, or replaces the same group of a Pushgateway.
    public func run() async throws {
        let isFirst = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return !hasRun
        }
        guard isFirst else {
            throw PushError(.invalidConfiguration, "A pusher runs once, and this one was run before: make another one.")
        }
        let claims = try PushClaims(deliveries.map(\.destination), of: registry)
        defer { claims.release() }
        await cancelWhenGracefulShutdown { await self.pushRepeatedly() }
        // A task of its own, because this one may be cancelled. The deadline limits it.
        await Task { await self.pushFinally() }.value
    }

    /// What waits for each destination, for tests.
    package var pending: [String: PushQueue] {
        get async {
            var queues: [String: PushQueue] = [:]
            for delivery in deliveries { queues[delivery.destination.name] = await delivery.pending }
            return queues
        }
    }

    /// Runs until the task is cancelled.
    private func pushRepeatedly() async {
        await withTaskGroup { group in
            for delivery in deliveries { group.addTask { await delivery.run() } }
            var next = clock.now
            while !Task.isCancelled {
                await offer(within: interval, to: deliveries)
                // A snapshot that took longer than the interval skips those that it missed.
                repeat { next = next.advanced(by: interval) } while next <= clock.now
                guard (try? await clock.sleep(until: next)) != nil else { break }
            }
            group.cancelAll()
        }
    }

    /// Takes a snapshot and passes it to the destinations.
    ///
    /// - Parameters:
    ///   - limit: How long asynchronous collectors may take; at most 10 s, the scrape timeout of Prometheus.
    ///   - isLast: Whether no snapshot follows. Then all destinations take it.
    private func offer(within limit: Duration, to deliveries: [Delivery], isLast: Bool = false) async {
        let deadline = registry.clock.now.advanced(by: min(limit, .seconds(10)))
        let isUsed = deliveries.contains(where: \.destination.usesSnapshot)
        let snapshot = isUsed ? await registry.collect(deadline: deadline) : Self.nothing
        let time = nextTime()
        for delivery in deliveries {
            let isReady = await delivery.takesSnapshot
            await delivery.offer(isReady || isLast ? delivery.destination.batches(of: snapshot, at: time) : [])
        }
    }

    private static let nothing = Registry().collect()

    /// The time of a snapshot, in seconds since 1970. Reports that the clock was set back if the time follows it.
    private func nextTime() -> Double {
        let now = clock.secondsSinceEpoch
        let reading = sampleTime.withLock { $0.next(at: now) }
        if let step = reading.stepBack, deliveries.contains(where: \.destination.hasSampleTimes) {
            report(
                "the clock was set back to \(Int(step.rounded())) s before the last sample, and samples follow it: Prometheus may "
                    + "refuse them until the clock passes that sample; check the time synchronization"
            )
        }
        return reading.time
    }

    private func pushFinally() async {
        let deadline = clock.now.advanced(by: finalTimeout)
        if finalTimeout > .zero {
            await offer(within: finalTimeout / 2, to: deliveries.filter(\.destination.takesLastSnapshot), isLast: true)
            let time = nextTime()
            for delivery in deliveries { await delivery.offer(delivery.destination.lastBatches(at: time)) }
            await drain(until: deadline)
        }
        for delivery in deliveries { await delivery.end() }
    }

    private func drain(until deadline: Instant) async {
        await withTaskGroup { group in
            group.addTask { [deliveries] in
                await withTaskGroup { for delivery in deliveries { $0.addTask { await delivery.drain() } } }
            }
            group.addTask { [clock] in try? await clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func check(
        _ targets: [PushTarget],
        _ interval: Duration,
        _ finalTimeout: Duration,
        _ attempts: Int
    ) throws(PushError) {
        func require(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(PushError) {
            if !isValid { throw PushError(.invalidConfiguration, "The pusher cannot be used: \(problem()).") }
        }
        try require(!targets.isEmpty, "it has no targets; name at least one")
        let names = targets.map(\.destination.name)
        let repeated = names.first { name in names.count { $0 == name } > 1 }
        try require(repeated == nil, "two targets have the name \"\(repeated ?? "")\"; pass the parameter name")
        try require(
            (.milliseconds(100) ... .seconds(86_400)).contains(interval),
            "interval is \(interval); it has to be in 100 ms...1 day"
        )
        try require(
            (.zero ... .seconds(3_600)).contains(finalTimeout),
            "finalTimeout is \(finalTimeout); it has to be in 0 s...1 h"
        )
        try require((1...100).contains(attempts), "attempts is \(attempts); it has to be in 1...100")
    }
}

/// What one pusher of this process has to itself while it runs. Two would count in the same series of `axiom_push_*`, or
/// replace each other's pages at each push, unseen.
private struct PushClaims {
    private enum Claim: Hashable {
        /// The series of a target's name in a registry.
        case series(ObjectIdentifier, String)
        case replaced(String)
    }

    /// The claims of the pushers that run.
    private static let taken = Lock<Set<Claim>>([])

    private let claims: Set<Claim>

    /// - Throws: ``PushError`` that names the target, if another pusher has one of the claims.
    init(_ destinations: [any PushDestination], of registry: Registry) throws(PushError) {
        var problems: [Claim: String] = [:]
        for destination in destinations {
            problems[.series(ObjectIdentifier(registry), destination.name)] =
                "\(destination.name): another pusher of this process has a target of this name for the same registry; pass the "
                + "parameter name"
            guard let replaced = destination.replaced else { continue }
            problems[.replaced(replaced)] =
                "\(destination.name): another pusher of this process replaces \(replaced) with each push; choose another group, "
                + "or add to it with update: .add"
        }
        let wanted = Set(problems.keys)
        let conflict = Self.taken.withLock { taken in
            let conflict = wanted.first { taken.contains($0) }
            if conflict == nil { taken.formUnion(wanted) }
            return conflict
        }
        if let conflict { throw PushError(.invalidConfiguration, problems[conflict] ?? "") }
        claims = wanted
    }

    func release() {
        Self.taken.withLock { $0.subtract(claims) }
    }
}
