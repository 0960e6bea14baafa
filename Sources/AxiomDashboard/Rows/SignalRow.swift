// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// A signal that a module records: a total, a value, or a distribution.
struct SignalRow: SnapshotRow {
    let id: Int
    let reading: SignalReading

    static let fields: [RowField<Self>] = [
        RowField("family") { .words($0.reading.family.name) },
        RowField("kind") { .term("\($0.reading.family.kind)") },
        RowField("labels", .onceWithTheRow) { row in .json { json in json.texts(row.labels) } },
        RowField("value") { .measured($0.reading.value) },
        RowField("sum") { .measured($0.reading.distribution?.sum) },
        RowField("p50") { .measured($0.reading.distribution?.estimate(0.5)) },
        RowField("p99") { .measured($0.reading.distribution?.estimate(0.99)) },
    ]

    /// The most signals of one family, and of all families.
    static let (familyLimit, limit) = (100, 1_000)
    /// What other lists show, or nothing on the page.
    static let hidden: Set = ["axiom_capability_level", "axiom_capability_permission", "axiom_version_info"]

    static func rows(_ observed: Observation, _ ids: inout RowIDs) -> [SignalRow] {
        let shown = observed.signals.prefix(limit)
        ids.signals.keep(shown.map(\.key))
        return shown.map { SignalRow(id: ids.signals.id($0.key), reading: $0) }
    }

    private var labels: [(key: String, value: String)] {
        zip(reading.family.labels, reading.values).map { ($0, $1.clipped()) }
    }
}

extension SignalReading {
    /// The family and the label values.
    fileprivate var key: [String] { [family.name] + values }
}

/// A capability that an orchestrator registered.
struct CapabilityRow: SnapshotRow {
    /// That of its component.
    let id: Int
    let reading: CapabilityReading
    /// When the level became this one.
    let since: Double?
    /// How many changes of it were carried out.
    let changes: Double

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.id) },
        RowField("level") { .term("\($0.reading.level)") },
        RowField("since") { .moment($0.since) },
        RowField("reason") { .words($0.reading.reason, limit: 400) },
        RowField("changes") { .measured($0.changes) },
        RowField("conditions") { row in
            .json { json in json.list(row.reading.conditions) { RowValue.words($1).write(to: &$0) } }
        },
    ]

    static func rows(_ observed: Observation, _ history: History, _ components: ComponentIndex) -> [CapabilityRow] {
        let changes = observed.signals.filter { $0.family.name == "axiom_capability_changes_total" }
        let totals = Dictionary(changes.map { ($0.values[0], $0.value) }, uniquingKeysWith: +)
        return observed.capabilities.compactMap { component, reading in
            components.id(named: component.name).map { id in
                CapabilityRow(
                    id: id,
                    reading: reading,
                    since: reading.since.map { history.grid.seconds($0) },
                    changes: totals[component.name] ?? 0
                )
            }
        }
    }
}
