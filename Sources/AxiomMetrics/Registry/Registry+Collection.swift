// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Registry {
    /// Reads all metrics. May be called from any thread, also by several at once.
    ///
    /// Each series is consistent in itself; two series are read one after the other, so that what happens in between
    /// may show in one of them only.
    public func collect() -> Snapshot {
        let (families, callbacks, collectors, claims) = state.withLock { state in
            (Array(state.families.values), Array(state.callbacks.values), state.collectors, state.claims)
        }
        var page = PageBuilder(claims: claims)
        for family in families { page.add(family.collect()) }
        for callback in callbacks { page.add(callback) }
        for collector in collectors { page.add(collector) }
        return page.finish()
    }
}

/// Gathers the families of one snapshot and keeps out what may not be shown.
private struct PageBuilder {
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

    mutating func add(_ callback: Registry.Callback) {
        let definition = callback.definition
        do {
            let value = try callback.read()
            guard let fault = definition.kind.fault(of: value) else {
                return add(FamilySnapshot(definition: definition, labels: [.none], samples: .numbers([value])))
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
            let name = String(describing: type(of: collector))
            problems.append(
                MetricsError(.collectorFailed, "The collector \(name) failed", family: nil, cause: error)
            )
        }
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
