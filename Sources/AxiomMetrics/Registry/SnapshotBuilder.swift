// SPDX-License-Identifier: Apache-2.0

/// Collects the families of one snapshot and omits invalid ones.
struct SnapshotBuilder {
    /// The names of the registered families that are shown.
    private var claims: NameClaims
    /// The names that collectors use on this page.
    private var collected = NameClaims()
    private var families: [FamilySnapshot] = []
    private(set) var problems: [MetricsError] = []
    private let context: SeriesContext

    init(claims: NameClaims, context: SeriesContext) {
        self.claims = claims
        self.context = context
    }

    mutating func add(_ family: FamilySnapshot) {
        if !family.isEmpty { families.append(family) }
    }

    mutating func addOwnMetrics(of families: [FamilySnapshot], _ definitions: DefinitionCache) {
        var series = CollectedFamily.gauge(
            "axiom_metrics_series",
            help: "Series of each metric family that holds at least half of its limit of series.",
            labels: "family"
        )
        var overflow = CollectedFamily.counter(
            "axiom_metrics_overflow_total",
            help: "Look-ups that found their family full, or had a label value that was too long and was cut.",
            labels: "family"
        )
        for family in families where family.definition.hasLabels {
            if 2 * family.count >= family.definition.seriesLimit {
                series.add(Double(family.count), family.definition.name)
            }
            let refusals = family.overflow?.refusals ?? 0
            overflow.add(Double(refusals &+ family.truncations), family.definition.name)
        }
        add(series, definitions)
        add(overflow, definitions)
    }

    mutating func addProblemCounts(_ counts: [ProblemReports.Reason: UInt64], _ definitions: DefinitionCache) {
        var family = CollectedFamily.counter(
            "axiom_metrics_collection_problems_total",
            help:
                "Times that metrics were missing from a page: their collector threw, was late or gave what cannot be shown.",
            labels: "reason"
        )
        for reason in ProblemReports.Reason.allCases { family.add(Double(counts[reason] ?? 0), reason.rawValue) }
        add(family, definitions)
    }

    mutating func add(_ callback: Registry.Callback) {
        let definition = callback.definition
        do {
            let value = try callback.read()
            guard let fault = definition.kind.fault(of: value) else {
                let series = context.constantLabels.isEmpty ? .unlabelled : SeriesList([context.constantLabels])
                return add(FamilySnapshot(definition: definition, series: series, samples: .numbers([value])))
            }
            problems.append(
                MetricsError(.invalidSample, "\(definition.name) \(fault).", family: definition.name)
            )
        } catch {
            problems.append(
                MetricsError(
                    .collectorFailed,
                    "The callback of \(definition.name) failed",
                    family: definition.name,
                    cause: error
                )
            )
        }
    }

    mutating func add(_ source: CollectorSource) {
        do {
            // Other libraries record the same values, later and through gauges only.
            let isProcess = source.collector is ProcessCollector
            for family in try source.collector.collect() { add(family, source.definitions, replaces: isProcess) }
        } catch {
            addFailure(of: String(describing: type(of: source.collector)), error)
        }
    }

    mutating func add(_ outcome: AsyncGathering.Outcome, of source: AsyncSource) {
        let collector = source.name
        switch outcome {
        case .families(let families): for family in families { add(family, source.definitions) }
        case .failed(let error): addFailure(of: collector, error)
        case .late: addLate("The collector \(collector) did not answer in time and was cancelled: make it faster.")
        case .stillRunning:
            addLate(
                "The collector \(collector) was not asked, because it has not ended since it was cancelled in an earlier "
                    + "collection: make it end when its task is cancelled."
            )
        }
    }

    private mutating func addFailure(of collector: String, _ error: any Error) {
        problems.append(
            MetricsError(.collectorFailed, "The collector \(collector) failed", family: nil, cause: error)
        )
    }

    private mutating func addLate(_ message: String) {
        problems.append(MetricsError(.collectorLate, message, family: nil))
    }

    /// - Parameter replaces: Whether a registered family of the same name is replaced.
    private mutating func add(_ family: CollectedFamily, _ definitions: DefinitionCache, replaces: Bool = false) {
        do throws(MetricsError) {
            let definition = try definitions.definition(of: family)
            try context.checkConstants(beside: definition.labelNames, of: definition.name, definition.syntax)
            let snapshot = try family.snapshot(definition, context.constantLabels)
            if replaces, claims.contains(definition.name) {
                families.removeAll { $0.definition.name == definition.name }
                claims.release(definition.name)
            }
            try collected.claim(snapshot.definition, beside: claims)
            add(snapshot)
        } catch {
            problems.append(error)
        }
    }

    consuming func finish() -> Snapshot {
        Snapshot(
            families: families.sorted { ByteName($0.definition.name) < ByteName($1.definition.name) },
            problems: problems
        )
    }
}

/// The names of families and their samples, and the family that uses each name, so that no name has two meanings.
struct NameClaims {
    private var owners: [ByteName: ByteName] = [:]

    /// Claims all names of a family.
    ///
    /// - Throws: ``MetricsError`` with the family that uses one of the names; no name is claimed then.
    mutating func claim(_ definition: MetricDefinition, beside base: NameClaims? = nil) throws(MetricsError) {
        let names = definition.claimedNames.map(ByteName.init)
        let family = ByteName(definition.name)
        for name in names {
            guard let owner = owners[name] ?? base?.owners[name] else { continue }
            let problem =
                owner == family
                ? "is there already" : "would share the name \(name.text) with the family \(owner.text)"
            throw MetricsError(
                .nameClash,
                "The \(definition.kind) \(definition.name) \(problem): rename one of the two.",
                family: definition.name
            )
        }
        for name in names { owners[name] = family }
    }

    /// Whether a family of this name has claimed its names.
    func contains(_ family: String) -> Bool { owners[ByteName(family)] == ByteName(family) }

    mutating func release(_ family: String) {
        let family = ByteName(family)
        owners = owners.filter { $0.value != family }
    }
}
