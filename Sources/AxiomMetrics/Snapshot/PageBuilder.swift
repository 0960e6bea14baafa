// SPDX-License-Identifier: Apache-2.0

/// Gathers the families of one snapshot and keeps out what may not be shown.
struct PageBuilder {
    /// What is registered; its names are taken.
    let claims: NameClaims
    /// The names that collectors have taken on this page.
    private var collected = NameClaims()
    private var families: [FamilySnapshot] = []
    private var problems: [MetricsError] = []

    init(claims: NameClaims) {
        self.claims = claims
    }

    mutating func add(_ family: FamilySnapshot) {
        if !family.isEmpty { families.append(family) }
    }

    mutating func addOwnMetrics(of families: [FamilySnapshot]) {
        var series = CollectedFamily.gauge(
            "axiom_metrics_series",
            help: "Series of each metric family with labels.",
            labels: "family"
        )
        var overflow = CollectedFamily.counter(
            "axiom_metrics_overflow_total",
            help: "Look-ups that found their family at its series limit.",
            labels: "family"
        )
        for family in families where family.definition.hasLabels {
            series.add(Double(family.count), family.definition.name)
            overflow.add(Double(family.overflow?.refusals ?? 0), family.definition.name)
        }
        add(series)
        add(overflow)
    }

    mutating func add(_ callback: Registry.Callback) {
        let definition = callback.definition
        do {
            let value = try callback.read()
            guard let fault = definition.kind.fault(of: value) else {
                return add(FamilySnapshot(definition: definition, series: .unlabelled, samples: .numbers([value])))
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

    mutating func add(_ collector: any Collector) {
        do {
            for family in try collector.collect() { add(family) }
        } catch {
            addFailure(of: String(describing: type(of: collector)), error)
        }
    }

    mutating func add(_ outcome: AsyncGathering.Outcome, of collector: String) {
        switch outcome {
        case .families(let families): for family in families { add(family) }
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

    private mutating func add(_ family: CollectedFamily) {
        do throws(MetricsError) {
            let snapshot = try family.snapshot()
            try collected.claim(snapshot.definition, beside: claims)
            add(snapshot)
        } catch {
            problems.append(error)
        }
    }

    consuming func finish() -> Snapshot {
        Snapshot(families: families.sorted { $0.definition.name < $1.definition.name }, problems: problems)
    }
}
