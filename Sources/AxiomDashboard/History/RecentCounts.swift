// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// What is counted beside actions and calls, to find what happens often.
struct CountedEvent: Hashable, Sendable {
    enum Kind: Sendable {
        /// A closed circuit breaker opened by itself.
        case opening
        /// A nanosecond for which a thread of the process ran, or was ready to run but had no processor.
        case running, waiting
        /// A call through a retry that an application watches, and a further attempt of one.
        case call, retry
        /// A stampede of callers that missed one key of a cache, and a load in one.
        case stampede, stampedeLoad
    }

    typealias Totals = [CountedEvent: UInt64]

    let kind: Kind
    /// Of the breaker, the retry or the cache.
    var name = ""

    /// How often each event was counted until now.
    static func totals(_ readings: Readings, _ breakers: [BreakerReading], _ times: SchedulerTimes) -> Totals {
        var totals = [CountedEvent(kind: .running): times.ran, CountedEvent(kind: .waiting): times.waited]
        for summary in breakers.lazy.map(\.summary) {
            let openings = summary.transitions.filter { transition in
                transition.edge.from == .closed && transition.edge.to == .open
                    && transition.edge.reason != .operatorOrdered
            }
            totals[CountedEvent(kind: .opening, name: summary.name)] = UInt64(openings.reduce(0) { $0 + $1.count })
        }
        for case let retry as Retry in readings.strategies {
            let counts = retry.counts
            totals[CountedEvent(kind: .call, name: retry.name)] = UInt64(counts.calls)
            totals[CountedEvent(kind: .retry, name: retry.name)] = UInt64(counts.retries)
        }
        for (kind, family) in [(Kind.stampede, "stampedes"), (.stampedeLoad, "stampede_loads")] {
            for (cache, count) in readings.totals(ofFamily: "axiom_cache_\(family)_total", by: "cache") {
                totals[CountedEvent(kind: kind, name: cache)] = count
            }
        }
        return totals
    }

    func increase(from before: Totals, to now: Totals) -> UInt64 {
        let (before, now) = (before[self] ?? 0, now[self] ?? 0)
        // Another one of the same name may have taken its place.
        return now >= before ? now - before : now
    }
}

/// The totals of events now, and each ten seconds for five minutes. What was counted before the first observation is not
/// recent. Cost: one entry for each event in each of 31 steps.
struct RecentCounts: Sendable {
    /// How many seconds the steps go back.
    static let window = 300.0

    private var steps: [(at: Double, totals: CountedEvent.Totals)] = []
    private var latest: (at: Double, totals: CountedEvent.Totals) = (0, [:])

    /// Whether nothing was observed yet.
    var isEmpty: Bool { steps.isEmpty }

    /// - Parameter isStep: Whether a step of ten seconds ends.
    mutating func update(_ totals: CountedEvent.Totals, at: Double, isStep: Bool) {
        latest = (at, totals)
        guard isStep || steps.isEmpty else { return }
        // A step from the future, left by a clock that went back, is of no use.
        steps = steps.filter { $0.at < at && $0.at >= at - Self.window } + [latest]
    }

    /// The names of the events of a kind, sorted.
    func names(of kind: CountedEvent.Kind) -> [String] {
        latest.totals.keys.filter { $0.kind == kind }.map(\.name).sorted()
    }

    /// How often an event was counted in the last `seconds`, at most ``window``.
    func count(_ kind: CountedEvent.Kind, _ name: String, in seconds: Double) -> UInt64 {
        let first = steps.first { $0.at >= latest.at - seconds }
        return CountedEvent(kind: kind, name: name).increase(from: first?.totals ?? latest.totals, to: latest.totals)
    }

    /// The seconds for which threads ran and waited in each minute of the last five; that until now is the last one.
    var minutes: [(length: Double, ran: Double, waited: Double)] {
        (steps.filter { $0.at < latest.at } + [latest]).compactMap { end in
            guard let first = steps.first(where: { $0.at >= end.at - 60 }), first.at < end.at else { return nil }
            func seconds(_ kind: CountedEvent.Kind) -> Double {
                Double(CountedEvent(kind: kind).increase(from: first.totals, to: end.totals)) / 1e9
            }
            return (end.at - first.at, seconds(.running), seconds(.waiting))
        }
    }
}
