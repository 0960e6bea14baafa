// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import AxiomResilience

/// The retries, timeouts, bulkheads and fallbacks of the application's own that are shown on the page.
final class StrategyBoard: Collector {
    private struct Shelf {
        var retries: [Retry] = []
        var timeouts: [Timeout] = []
        var bulkheads: [Bulkhead] = []
        var fallbacks: [any CountedFallback] = []
    }

    /// Guarded by its lock, which is taken when a strategy is added and at a scrape.
    private let shelf = Lock(Shelf())

    /// Adds a strategy, or nothing if it is of a type of the user's own, which has no metrics here.
    ///
    /// - Throws: ``TelemetryError`` if there is another strategy of that kind and name.
    func watch(_ strategy: any ResilienceStrategy) throws(TelemetryError) {
        let clash: String? = shelf.withLock { shelf in
            switch strategy {
            case let retry as Retry: Self.add(retry, to: &shelf.retries, named: \.name)
            case let timeout as Timeout: Self.add(timeout, to: &shelf.timeouts, named: \.name)
            case let bulkhead as Bulkhead: Self.add(bulkhead, to: &shelf.bulkheads, named: \.name)
            case let fallback as any CountedFallback: Self.add(fallback, to: &shelf.fallbacks)
            default: nil
            }
        }
        if let clash { throw TelemetryError.twoStrategies(strategy.describedKind.rawValue, clash) }
    }

    /// All of them: retries, then timeouts, then bulkheads, then fallbacks.
    var all: [any ResilienceStrategy] {
        let shelf = shelf.withLock { $0 }
        return shelf.retries + shelf.timeouts + shelf.bulkheads + shelf.fallbacks
    }

    func collect() -> [CollectedFamily] {
        let shelf = shelf.withLock { $0 }
        var families = StrategyFamilies()
        for retry in shelf.retries { families.add(retry) }
        for timeout in shelf.timeouts { families.add(timeout) }
        for bulkhead in shelf.bulkheads { families.add(bulkhead) }
        for fallback in shelf.fallbacks { families.add(fallback) }
        return families.all
    }

    /// - Returns: The name, when another strategy has it. The same strategy may be added again.
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

    /// The same for fallbacks, whose types differ by the type of their values.
    private static func add(_ fallback: any CountedFallback, to list: inout [any CountedFallback]) -> String? {
        guard let known = list.first(where: { $0.name == fallback.name }) else {
            list.append(fallback)
            return nil
        }
        return known === fallback ? nil : fallback.name
    }
}
