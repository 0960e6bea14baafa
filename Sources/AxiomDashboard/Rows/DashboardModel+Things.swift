// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

extension DashboardModel {
    func instanceRows() -> [Row] {
        guard let telemetry else { return [] }
        let log = telemetry.instances.entries
        let suspects = telemetry.leakSuspects(50)
        let leaked = Set(suspects.map(\.id))
        return log.map { entry in
            let how = leaked.contains(entry.id) ? "leaked" : entry.end == nil ? "live" : "\(entry.ending)"
            let ends: [Value] = [.moment(grid.seconds(entry.start)), .moment(entry.end.map { grid.seconds($0) })]
            let component = Value.component(components.id(named: entry.component.name))
            return Row(id: Int(clamping: entry.id), values: [component] + ends + [.text(how)])
        }
    }

    mutating func policyRows() -> [Row] {
        (telemetry?.policies ?? []).flatMap { strategy -> [Row] in
            switch strategy {
            case let retry as Retry: policyRows(retry)
            case let timeout as Timeout:
                [fact(\.policies, "\(timeout.name): timeouts", Double(timeout.counts.timeouts))]
            case let bulkhead as Bulkhead: policyRows(bulkhead)
            default: []
            }
        }
    }

    private mutating func policyRows(_ retry: Retry) -> [Row] {
        let (name, counts) = (retry.name, retry.counts)
        var rows = [fact(\.policies, "\(name): retries", Double(counts.retries))]
        if let budget = retry.configuration.budget {
            rows.append(fact(\.policies, "\(name): retries left", budget.tokens))
            rows.append(fact(\.policies, "\(name): retries refused", Double(budget.exhausted)))
        }
        return rows
    }

    private mutating func policyRows(_ bulkhead: Bulkhead) -> [Row] {
        let (name, counts) = (bulkhead.name, bulkhead.counts)
        return [
            fact(\.policies, "\(name): in use of \(counts.limit)", Double(counts.inUse)),
            fact(\.policies, "\(name): queued", Double(counts.queueDepth)),
            fact(\.policies, "\(name): rejected", Double(counts.rejected)),
        ]
    }

    /// A name, a value and a unit.
    mutating func fact(
        _ table: WritableKeyPath<RowIDs, IDTable<String>>,
        _ name: String,
        _ value: Double?,
        _ unit: String = "count"
    ) -> Row {
        Row(id: ids[keyPath: table].id(name), values: [.words(name), .measured(value), .text(unit)])
    }

    mutating func runtimeRows() -> [Row] {
        let found = ProcessCollector(extended: false).collect().map { ($0.name, $0.firstValue) }
        let values = Dictionary(found) { first, _ in first }
        let facts: [(String, String, String)] = [
            ("Resident memory", "process_resident_memory_bytes", "bytes"), ("Heap", "process_heap_bytes", "bytes"),
            ("Virtual memory", "process_virtual_memory_bytes", "bytes"),
            ("CPU time", "process_cpu_seconds_total", "seconds"),
            ("Threads", "process_threads", "count"), ("Open files", "process_open_fds", "count"),
            ("Open files at most", "process_max_fds", "count"),
        ]
        var rows: [Row] = []
        for (name, metric, unit) in facts where values[metric] ?? nil != nil {
            rows.append(fact(\.runtime, name, values[metric] ?? nil, unit))
        }
        return rows
    }

    mutating func telemetryRows() -> [Row] {
        let counts = registry.seriesCounts
        var rows = [
            fact(\.telemetry, "Series", Double(counts.series)),
            fact(\.telemetry, "Series refused", Double(counts.refused)),
            fact(\.telemetry, "Viewers", Double(cost.viewers)),
            fact(\.telemetry, "Tick size", Double(cost.tickBytes), "bytes"),
            fact(\.telemetry, "Snapshot size", Double(cost.snapshotBytes), "bytes"),
            fact(\.telemetry, "A sample takes", cost.sampleSeconds, "seconds"),
            fact(\.telemetry, "Dashboard CPU", cost.share, "ratio"),
        ]
        rows += scrapeRows()
        guard let dropped = registry.collect(families: ["axiom_telemetry_dropped_total"])[0] else { return rows }
        for series in dropped { rows.append(fact(\.telemetry, "Dropped: \(series.labels["reason"])", series.value)) }
        return rows
    }

    private mutating func scrapeRows() -> [Row] {
        let names = ["axiom_exporter_scrape_duration_seconds", "axiom_exporter_scrape_bytes"]
        let found = registry.collect(families: names).map { $0?.first?.histogram }
        guard let duration = found[0], let size = found[1] else { return [] }
        let count = Double(duration.count)
        return [
            fact(\.telemetry, "Scrapes", count),
            fact(\.telemetry, "A scrape takes", count > 0 ? duration.sum / count : nil, "seconds"),
            fact(\.telemetry, "Scrape size", size.count > 0 ? size.sum / Double(size.count) : nil, "bytes"),
        ]
    }

    /// What a heat map shows that begins with a tick; the columns follow.
    private static let emptyRing = Value.json(Array(#"{"step":10,"start":0,"series":{}}"#.utf8))

    func latencyRows(_ facts: RowFacts) -> [Row] {
        latency.ids.map { id in
            let component = latency.subjects[id]?.component
            let limit = component.flatMap { self.limit(ofComponent: components.name($0), facts) }
            let about: [Value] = [.component(component), .none, .measured(limit)]
            return Row(id: id, values: about + [Self.emptyRing, Self.emptyRing])
        }
    }
}
