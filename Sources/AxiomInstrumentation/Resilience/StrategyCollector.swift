// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import AxiomResilience

/// The application's own retries, timeouts, bulkheads and fallbacks that appear on the page.
final class StrategyCollector: Collector {
    private struct Strategies {
        var retries: [Retry] = []
        var timeouts: [Timeout] = []
        var bulkheads: [Bulkhead] = []
        var fallbacks: [any CountedFallback] = []
    }

    /// Guarded by its lock, which is taken when a strategy is added and at a scrape.
    private let strategies = Lock(Strategies())

    /// Adds a strategy. Ignores a custom type of the user, which has no metrics here.
    ///
    /// - Throws: ``TelemetryError`` if there is another strategy of the same kind and name.
    func watch(_ strategy: any ResilienceStrategy) throws(TelemetryError) {
        let clash: String? = strategies.withLock { strategies in
            switch strategy {
            case let retry as Retry: Self.add(retry, to: &strategies.retries, named: \.name)
            case let timeout as Timeout: Self.add(timeout, to: &strategies.timeouts, named: \.name)
            case let bulkhead as Bulkhead: Self.add(bulkhead, to: &strategies.bulkheads, named: \.name)
            case let fallback as any CountedFallback: Self.add(fallback, to: &strategies.fallbacks)
            default: nil
            }
        }
        if let clash { throw TelemetryError.twoStrategies(strategy.describedKind.rawValue, clash) }
    }

    /// All strategies: retries, then timeouts, then bulkheads, then fallbacks.
    var all: [any ResilienceStrategy] {
        let strategies = strategies.withLock { $0 }
        return strategies.retries + strategies.timeouts + strategies.bulkheads + strategies.fallbacks
    }

    func collect() -> [CollectedFamily] {
        let strategies = strategies.withLock { $0 }
        var families = StrategyFamilies()
        for retry in strategies.retries { families.add(retry) }
        for timeout in strategies.timeouts { families.add(timeout) }
        for bulkhead in strategies.bulkheads { families.add(bulkhead) }
        for fallback in strategies.fallbacks { families.add(fallback) }
        return families.all
    }

    /// - Returns: The name if another strategy already has it. The same strategy may be added again.
    private static func add<Strategy: AnyObject>(
        _ strategy: Strategy,
        to list: inout [Strategy],
        named name: (Strategy) -> String
    ) -> String? {
        guard let known = list.first(where: { name($0) == name(strategy) }) else {
            list.append(strategy)
            return nil
        }
        return known === strategy ? nil : name(strategy)
    }

    /// Does the same for fallbacks, whose types differ by the type of their values.
    private static func add(_ fallback: any CountedFallback, to list: inout [any CountedFallback]) -> String? {
        guard let known = list.first(where: { $0.name == fallback.name }) else {
            list.append(fallback)
            return nil
        }
        return known === fallback ? nil : fallback.name
    }
}

/// The families of retries, timeouts, bulkheads and fallbacks, filled at each scrape. The label `policy` is the
/// strategy's name.
struct StrategyFamilies {
    private var retries = CollectedFamily.counter(
        "axiom_retries_total",
        help: "Calls through a retry that have ended, by how they ended.",
        labels: "policy",
        "outcome"
    )
    private var attempts = CollectedFamily.counter(
        "axiom_retry_attempts_total",
        help: "Attempts beyond the first of their call.",
        labels: "policy"
    )
    private var tokens = CollectedFamily.gauge(
        "axiom_retry_budget_tokens",
        help: "Retries that the budget of a retry would allow now.",
        labels: "policy"
    )
    private var exhausted = CollectedFamily.counter(
        "axiom_retry_budget_exhausted_total",
        help: "Retries that the budget of a retry has refused.",
        labels: "policy"
    )
    private var timeouts = CollectedFamily.counter(
        "axiom_timeouts_total",
        help: "Calls that took longer than their timeout.",
        labels: "policy"
    )
    private var inUse = CollectedFamily.gauge(
        "axiom_bulkhead_in_use",
        help: "Calls that run within a bulkhead.",
        labels: "policy"
    )
    private var queueDepth = CollectedFamily.gauge(
        "axiom_bulkhead_queue_depth",
        help: "Calls that wait for a place in a bulkhead.",
        labels: "policy"
    )
    private var limit = CollectedFamily.gauge(
        "axiom_bulkhead_limit",
        help: "Calls that may run within a bulkhead at once.",
        labels: "policy"
    )
    private var rejected = CollectedFamily.counter(
        "axiom_bulkhead_rejected_total",
        help: "Calls that a bulkhead has refused: its queue was full, or they had waited too long.",
        labels: "policy",
        "reason"
    )

    private var fallbacks = CollectedFamily.counter(
        "axiom_fallbacks_total",
        help:
            "Calls through a fallback that have ended: with the operation's own value, with one in its place, or without.",
        labels: "policy",
        "outcome"
    )

    /// The families that have a series.
    var all: [CollectedFamily] {
        [retries, attempts, tokens, exhausted, timeouts, inUse, queueDepth, limit, rejected, fallbacks]
            .filter { !$0.isEmpty }
    }

    mutating func add(_ retry: Retry) {
        let counts = retry.counts
        for outcome in RetryOutcome.allCases {
            retries.add(Double(counts[outcome]), retry.name, outcome.description)
        }
        attempts.add(Double(counts.retries), retry.name)
        guard let budget = retry.configuration.budget else { return }
        tokens.add(budget.tokens, retry.name)
        exhausted.add(Double(budget.exhausted), retry.name)
    }

    mutating func add(_ timeout: Timeout) {
        timeouts.add(Double(timeout.counts.timeouts), timeout.name)
    }

    mutating func add(_ bulkhead: Bulkhead) {
        let counts = bulkhead.counts
        inUse.add(Double(counts.inUse), bulkhead.name)
        queueDepth.add(Double(counts.queueDepth), bulkhead.name)
        limit.add(Double(counts.limit), bulkhead.name)
        rejected.add(Double(counts.rejectedFull), bulkhead.name, "full")
        rejected.add(Double(counts.rejectedLate), bulkhead.name, "late")
    }

    mutating func add(_ fallback: any CountedFallback) {
        for (outcome, count) in fallback.counts.byOutcome { fallbacks.add(Double(count), fallback.name, outcome) }
    }
}
