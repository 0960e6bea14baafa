// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What the time in the steps of operations explains.
extension ExplanationSearch {
    /// The share of the excess in the own work.
    var own: Double { min(1, max(0, total > 0 ? gain(features.own) / total : 0)) }

    /// How much more time the slow operations spent in something than as many ordinary ones.
    private func gain(_ values: [Double]) -> Double {
        (mean(values, slow) - mean(values, ordinary)) * Double(slow.count)
    }

    private func mean(_ values: [Double], _ indices: [Int]) -> Double {
        indices.isEmpty ? 0 : indices.reduce(0) { $0 + values[$1] } / Double(indices.count)
    }

    func candidate(_ part: SpanPart) -> Candidate {
        let (deepest, around) = deepest(part)
        // Own work is never 0: an operation that only calls others is as slow as these.
        let own = features.own.map { $0 + typical / 100 }
        func ratio(_ indices: [Int]) -> Double { mean(part.seconds, indices) / mean(own, indices) }
        let hasGrown = ratio(slow) >= 1.25 * ratio(ordinary)
        let shares = tested.map { part.seconds[$0] / (part.seconds[$0] + own[$0]) }
        let slowWeights = tested.prefix(slowTested).map { weights[$0] }
        let (name, what) = (part.name.clipped(60), part.kind == .wait ? "wait for" : "time in")
        return Candidate(
            // Only repetitions of the operation itself have no name.
            feature: name.isEmpty ? part.kind.rawValue : "\(what) \(name)",
            share: hasGrown ? min(1, gain(deepest.seconds) / total) : 0,
            statistic: { places in zip(slowWeights, places).reduce(0) { $0 + $1.0 * shares[$1.1] } },
            details: {
                let times = [slow, ordinary].map { mean(deepest.seconds, $0) }
                return (deepest.kind.rawValue, says(deepest, around), times, slow.filter { deepest.seconds[$0] > 0 })
            }
        )
    }

    /// The deepest part that explains enough, and the calls around it.
    private func deepest(_ part: SpanPart) -> (SpanPart, around: [String]) {
        var (current, around) = (part, [String]())
        // Retries are named before what they repeat, if there are more of them.
        while current.kind != .retries || mean(current.counts, slow) < mean(current.counts, ordinary) + 0.5,
            let next = current.parts.max(by: { gain($0.seconds) < gain($1.seconds) }),
            gain(next.seconds) > max(0.5 * gain(current.seconds), Self.floor * total)
        {
            // A call of a component, and retries of a call, have both names.
            let isNamed = next.name == current.name || next.name.hasPrefix(current.name + ".")
            if !isNamed { around.append(current.name) }
            current = next
        }
        return (current, around)
    }

    private func says(_ part: SpanPart, _ around: [String]) -> String {
        func count(_ indices: [Int]) -> String {
            QuantityFormat.number((mean(part.counts, indices) * 10).rounded() / 10)
        }
        func time(_ indices: [Int]) -> String { QuantityFormat.duration(mean(part.seconds, indices)) ?? "?" }
        let (name, times) = (part.name.clipped(60), "instead of \(time(ordinary))")
        let ofName = name.isEmpty ? "" : " of \(name)"
        let way = around.isEmpty ? "" : ", called by \(around.map { $0.clipped(40) }.joined(separator: " → "))"
        let (more, before) = (mean(part.counts, slow), mean(part.counts, ordinary))
        return switch part.kind {
        case .retries: "\(count(slow)) retries\(ofName) instead of \(count(ordinary))\(way)"
        case .wait: "\(time(slow)) of waiting for \(name) \(times)\(way)"
        case .recovery: "\(time(slow)) in recoveries\(ofName) \(times)\(way)"
        case .work where abs(more - before) > 0.25 * before:
            "\(time(slow)) in \(name) \(times), \(count(slow)) calls instead of \(count(ordinary))\(way)"
        case .work: "\(time(slow)) in \(name) \(times)\(way)"
        }
    }
}
