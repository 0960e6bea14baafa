// SPDX-License-Identifier: Apache-2.0

/// All metrics of a registry at one moment.
public struct Snapshot: Sendable {
    /// The families that have series, sorted by name. No name occurs twice.
    package let families: [FamilySnapshot]
    /// Why metrics are missing: collectors and callbacks that failed, or returned invalid families.
    public let problems: [MetricsError]

    /// The family with this name. Cost: a binary search.
    package func family(_ name: String) -> FamilySnapshot? {
        let name = ByteName(name)
        var low = 0
        var high = families.count
        while low < high {
            let middle = (low + high) / 2
            if ByteName(families[middle].definition.name) < name { low = middle + 1 } else { high = middle }
        }
        guard low < families.count, ByteName(families[low].definition.name) == name else { return nil }
        return families[low]
    }

    /// The value of the series with exactly these labels (for a histogram the number of observations); nil if there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        series(name, labels)?.value
    }

    /// The series with exactly these labels; nil if there is none. Cost: linear in the number of series of the family.
    public func series(_ name: String, _ labels: [String: String] = [:]) -> SeriesSnapshot? {
        let wanted = Self.byBytes(labels).filter { !$0.value.text.isEmpty }
        return family(name)?.first { series in
            let pairs = series.labels.pairs
            return pairs.count == wanted.count
                && pairs.allSatisfy { wanted[ByteName($0.name)] == ByteName($0.value) }
        }
    }

    /// The sum of the values of all series that have these labels and possibly others; 0 if there are none.
    public func total(_ name: String, where labels: [String: String] = [:]) -> Double {
        guard let family = family(name) else { return 0 }
        return family.reduce(0) { total, series in
            labels.allSatisfy { ByteName(series.labels[$0.key]) == ByteName($0.value) } ? total + series.value : total
        }
    }

    private static func byBytes(_ labels: [String: String]) -> [ByteName: ByteName] {
        var result: [ByteName: ByteName] = [:]
        for (name, value) in labels { result[ByteName(name)] = ByteName(value) }
        return result
    }

    /// The families with one of these names, which may be the name of the family or of its samples (`x`, `x_count`,
    /// `x_total`), also in an escaped form. Keeps all problems.
    package func filtered(_ names: some Collection<String>) -> Snapshot {
        let wanted = Set(names.map(ByteName.init))
        return Snapshot(
            families: families.filter { !wanted.isDisjoint(with: $0.definition.claimedNames.map(ByteName.init)) },
            problems: problems
        )
    }

    /// The families whose names do not fulfil a condition. Keeps all problems.
    package func without(_ isLeftOut: (String) -> Bool) -> Snapshot {
        Snapshot(families: families.filter { !isLeftOut($0.definition.name) }, problems: problems)
    }

    /// The same families with more labels on every series. No series may have one of their names. Each call
    /// renders the labels.
    package func labelled(_ labels: [(name: String, value: String)]) -> Snapshot {
        guard !labels.isEmpty else { return self }
        let added = LabelSet(template: LabelTemplate(names: labels.map(\.name)), values: labels.map(\.value))
        return Snapshot(families: families.map { $0.appending(added) }, problems: problems)
    }
}
