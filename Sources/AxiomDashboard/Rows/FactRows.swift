// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// A name, a value and its unit: a row of the lists `policies`, `runtime` and `telemetry`.
struct FactRow: SnapshotRow {
    /// What is said, before it has an id.
    struct Fact: Sendable {
        let name: String
        let value: Double?
        let unit: String

        init(_ name: String, _ value: Double?, _ unit: String = "count") {
            self.name = name
            self.value = value
            self.unit = unit
        }
    }

    let id: Int
    let fact: Fact

    static let fields: [RowField<Self>] = [
        RowField("name") { .words($0.fact.name) },
        RowField("value") { .measured($0.fact.value) },
        RowField("unit") { .term($0.fact.unit) },
    ]

    static func rows(_ facts: [Fact], _ ids: inout IDTable<String>) -> [FactRow] {
        facts.map { FactRow(id: ids.id($0.name), fact: $0) }
    }

    /// The retries, timeouts and bulkheads that are watched.
    static func facts(of strategies: [any ResilienceStrategy]) -> [Fact] {
        strategies.flatMap { strategy -> [Fact] in
            switch strategy {
            case let retry as Retry: facts(of: retry)
            case let timeout as Timeout: [Fact("\(timeout.name): timeouts", Double(timeout.counts.timeouts))]
            case let bulkhead as Bulkhead: facts(of: bulkhead)
            default: []
            }
        }
    }

    private static func facts(of retry: Retry) -> [Fact] {
        let retries = Fact("\(retry.name): retries", Double(retry.counts.retries))
        guard let budget = retry.configuration.budget else { return [retries] }
        return [
            retries,
            Fact("\(retry.name): retries left", budget.tokens),
            Fact("\(retry.name): retries refused", Double(budget.exhausted)),
        ]
    }

    private static func facts(of bulkhead: Bulkhead) -> [Fact] {
        let (name, counts) = (bulkhead.name, bulkhead.counts)
        return [
            Fact("\(name): in use of \(counts.limit)", Double(counts.inUse)),
            Fact("\(name): queued", Double(counts.queueDepth)),
            Fact("\(name): rejected", Double(counts.rejected)),
        ]
    }

    /// The values that the operating system reports of the process. Values that it does not report are omitted.
    static var runtimeFacts: [Fact] {
        let process = ProcessStatistics.read()
        let facts = [
            Fact("Resident memory", process.residentBytes, "bytes"),
            Fact("Heap", ProcessStatistics.heapBytes, "bytes"),
            Fact("Virtual memory", process.virtualBytes, "bytes"),
            Fact("CPU time", process.cpuSeconds, "seconds"),
            Fact("Threads", process.threads),
            Fact("Open files", ProcessStatistics.openFileDescriptors),
            Fact("Open files at most", ProcessStatistics.openFileLimit),
        ]
        return facts.filter { $0.value != nil }
    }

    /// What telemetry and the dashboard itself cost.
    static func telemetryFacts(_ registry: Registry, _ readings: Readings, _ cost: OwnCost) -> [Fact] {
        let counts = registry.seriesCounts
        let facts = [
            Fact("Series", Double(counts.series)),
            Fact("Series refused", Double(counts.refused)),
            Fact("Viewers", Double(cost.viewers)),
            Fact("Tick size", Double(cost.tickBytes), "bytes"),
            Fact("Snapshot size", Double(cost.snapshotBytes), "bytes"),
            Fact("A sample takes", cost.sampleSeconds, "seconds"),
            Fact("Dashboard CPU", cost.share, "ratio"),
        ]
        let dropped = readings.dropped.map { Fact("Dropped: \($0.reason)", Double($0.count)) }
        return facts + scrapeFacts(registry) + dropped
    }

    /// The cost of the pages of metrics; empty if no exporter serves the registry.
    private static func scrapeFacts(_ registry: Registry) -> [Fact] {
        guard let cost = ScrapeCost.read(registry) else { return [] }
        return [
            Fact("Scrapes", Double(cost.pages)),
            Fact("A scrape takes", cost.meanSeconds, "seconds"),
            Fact("Scrape size", cost.meanBytes, "bytes"),
        ]
    }
}
