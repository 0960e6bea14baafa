// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Reads one family again and again: its labels when series come or go, its values each time.
struct SeriesReader<Target: Sendable>: Sendable {
    let name: String
    /// The same object for as long as `targets` holds.
    private var token: (any AnyObject & Sendable)?
    /// What each series counts for, in the order of the family.
    private(set) var targets: [Target] = []

    init(_ name: String) {
        self.name = name
    }

    /// Asks `target` for the meaning of each series' labels, if they are not those of the last time.
    mutating func update(_ family: FamilySnapshot, _ target: ([String: String]) -> Target) {
        let present = family.seriesToken
        if let token, token === present { return }
        token = present
        targets = family.map { series in
            target(Dictionary(series.labels.pairs.map { ($0.name, $0.value) }) { first, _ in first })
        }
    }
}
