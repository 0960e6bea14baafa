// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

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
