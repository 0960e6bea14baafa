// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// What an application looks like at one moment: its components, its slowest actions, its errors.
///
/// Everything is read from the metrics, so that the page and Prometheus never disagree.
struct Overview: Sendable {
    /// The facts of `axiom_build_info`, by label.
    let build: [String: String]
    /// The component types, by kind and name.
    let components: [ComponentRow]
    /// The actions that were called, the slowest first.
    let actions: [ActionRow]
    /// The errors that ended at a boundary, the most frequent first.
    let errors: [ErrorRow]
    /// What the snapshot left out, in words.
    let problems: [String]

    /// Whether the build records anything: false when it was made without the package trait `Instrumented`.
    var isInstrumented: Bool {
        build["instrumented"] != "false"
    }

    /// Reads the overview from the metrics that `AxiomInstrumentation` registers; what is missing is empty.
    init(_ snapshot: Snapshot) {
        build = snapshot.family("axiom_build_info")?.first?.labels.dictionary ?? [:]
        components = ComponentRow.rows(snapshot)
        actions = ActionRow.rows(snapshot)
        errors = ErrorRow.rows(snapshot)
        problems = snapshot.problems.map { "\($0)" }
    }
}

extension LabelSet {
    var dictionary: [String: String] {
        Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
