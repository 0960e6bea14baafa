// SPDX-License-Identifier: Apache-2.0

/// All metrics of a registry at one moment, for an encoder, a page or a test.
public struct Snapshot: Sendable {
    /// The families that have series, by name. No name occurs twice.
    public let families: [FamilySnapshot]
    /// What was left out and why: collectors and callbacks that failed, or whose families could not be shown.
    public let problems: [MetricsError]

    /// The family of this name. Cost: logarithmic.
    public func family(_ name: String) -> FamilySnapshot? {
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

    /// The value of the series with exactly these labels (a histogram's count); nil when there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        series(name, labels)?.value
    }

    /// The series with exactly these labels; nil when there is none. Cost: linear in the series of the family.
    public func series(_ name: String, _ labels: [String: String] = [:]) -> SeriesSnapshot? {
        let wanted = Self.byBytes(labels).filter { !$0.value.text.isEmpty }
        return family(name)?.first { series in
            let pairs = series.labels.pairs
            return pairs.count == wanted.count
                && pairs.allSatisfy { wanted[ByteName($0.name)] == ByteName($0.value) }
        }
    }

    /// The sum of the values of all series that have these labels, whatever others they have; 0 when there are none.
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
}
