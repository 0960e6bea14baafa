// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The counts of one component type at one moment.
package struct CensusRow: Sendable {
    package let component: ComponentDescriptor
    /// The module that declares the type; empty if it is unknown.
    package let module: String
    /// In nanoseconds; 0 if none has ended.
    package let longestLifetime: Int64
    package let created: UInt64
    package let destroyed: UInt64
    package let leakSuspects: Int
}

/// The families that the census fills at each scrape.
struct CensusFamilies {
    private var info = CollectedFamily.info(
        "axiom_component_info",
        help: "1 for each component type that is registered.",
        labels: "kind",
        "component"
    )
    private var created = CollectedFamily.counter(
        "axiom_component_created_total",
        help: "Components that were made.",
        labels: "kind",
        "component"
    )
    private var destroyed = CollectedFamily.counter(
        "axiom_component_destroyed_total",
        help: "Components that have ended.",
        labels: "kind",
        "component"
    )
    private var live = CollectedFamily.gauge(
        "axiom_component_live",
        help: "Components that live: those that were made less those that have ended.",
        labels: "kind",
        "component"
    )
    private var leakSuspects = CollectedFamily.gauge(
        "axiom_component_leak_suspects",
        help: "Components that live long after their presentation was unmounted, or after the shutdown.",
        labels: "kind",
        "component"
    )

    private let detail: DetailLevel

    init(_ detail: DetailLevel) { self.detail = detail }

    /// The families of the page. A lean page omits `info`, which has the series of `created`, and `destroyed`,
    /// which is the number of lifetimes.
    var all: [CollectedFamily] {
        detail == .full ? [info, created, destroyed, live, leakSuspects] : [created, live, leakSuspects]
    }

    mutating func add(_ row: CensusRow) {
        let (kind, name) = (row.component.kind.rawValue, row.component.name)
        info.add(1, kind, name)
        created.add(Double(row.created), kind, name)
        destroyed.add(Double(row.destroyed), kind, name)
        live.add(Double(row.created - row.destroyed), kind, name)
        // Others than contexts can be suspects only after a shutdown.
        if detail == .full || row.component.kind == .context || row.leakSuspects > 0 {
            leakSuspects.add(Double(row.leakSuspects), kind, name)
        }
    }
}

/// The edges of the component graph: a series for each pair of names, and the edges themselves.
final class DependencyMetrics: Sendable {
    private let family: Family<Gauge, String, String>
    /// Each edge once, in the order of the first resolution. Guarded by its lock, which is taken once for each pair of
    /// types of each orchestrator.
    private let known = Lock<[ComponentDependency]>([])

    init(_ registry: Registry) throws(MetricsError) {
        family = try registry.gauges(
            "axiom_component_dependency",
            help: "1 for each pair of component types of which the first resolved the second.",
            labels: Label<String>("from"),
            Label<String>("to")
        )
    }

    /// All edges. They are only ever added.
    var edges: [ComponentDependency] { known.withLock { $0 } }

    func resolved(_ dependency: ComponentDependency) {
        family(dependency.from.name, dependency.to.name).set(1)
        known.withLock { if !$0.contains(dependency) { $0.append(dependency) } }
    }
}

/// The capabilities that the observed orchestrator registered. They are read when a dashboard shows them.
final class CapabilitySources: Sendable {
    private typealias Read = @Sendable () -> CapabilityReading?

    private struct Sources {
        var order: [ComponentDescriptor] = []
        var reads: [ComponentDescriptor: Read] = [:]
    }

    private let sources = Lock(Sources())

    /// A later registration of the same component replaces the earlier one.
    func add(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?) {
        let replaced = sources.withLock { sources -> Read? in
            if sources.reads[component] == nil { sources.order.append(component) }
            return sources.reads.updateValue(read, forKey: component)
        }
        withExtendedLifetime(replaced) {}
    }

    /// Reads all that were not released, in the order of their registration.
    func read() -> [(component: ComponentDescriptor, reading: CapabilityReading)] {
        let reads = sources.withLock { sources in sources.order.map { ($0, sources.reads[$0]) } }
        return reads.compactMap { component, read in (read?()).map { (component, $0) } }
    }
}
