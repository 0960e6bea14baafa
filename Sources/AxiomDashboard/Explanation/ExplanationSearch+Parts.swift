// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

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

    func candidate(_ part: SpanPart, _ view: SampledView) -> Candidate {
        let (deepest, around) = deepest(part)
        let share = min(1, gain(deepest.seconds) / total)
        // Own work is never 0: an operation that only calls others is as slow as these.
        let floor = typical / 100
        func ratio(_ indices: [Int]) -> Double { mean(part.seconds, indices) / (mean(features.own, indices) + floor) }
        let parts = view.picked.map { part.seconds[$0] / (part.seconds[$0] + features.own[$0] + floor) }
        let hasGrown = ratio(slow) >= 1.25 * ratio(ordinary)
        return Candidate(
            feature: part.described,
            share: share,
            statistic: hasGrown ? { places in view.sum(places) { parts[$0] } } : nil,
            cause: { share, q in
                let having = slow.filter { deepest.seconds[$0] > 0 }
                return Explanation.Cause(
                    feature: deepest.feature,
                    says: says(deepest, around),
                    share: share,
                    q: q,
                    slow: mean(deepest.seconds, slow),
                    ordinary: mean(deepest.seconds, ordinary),
                    spans: having.count,
                    trace: trace(having)
                )
            }
        )
    }

    /// The deepest part that explains enough, and the calls around it.
    private func deepest(_ part: SpanPart) -> (SpanPart, around: [String]) {
        var (current, around) = (part, [String]())
        while !haveIncreased(current), let next = current.parts.max(by: { gain($0.seconds) < gain($1.seconds) }),
            gain(next.seconds) > 0.5 * gain(current.seconds), gain(next.seconds) >= Self.floor * total
        {
            // A call of a component, and retries of a call, have both names.
            let isNamed = next.name == current.name || next.name.hasPrefix(current.name + ".")
            if !isNamed { around.append(current.name) }
            current = next
        }
        return (current, around)
    }

    /// Whether it is retries, of which slow operations have more.
    private func haveIncreased(_ part: SpanPart) -> Bool {
        part.kind == .retries && mean(part.counts, slow) >= mean(part.counts, ordinary) + 0.5
    }

    private func says(_ part: SpanPart, _ around: [String]) -> String {
        func count(_ indices: [Int]) -> String {
            QuantityFormat.number((mean(part.counts, indices) * 10).rounded() / 10)
        }
        func time(_ indices: [Int]) -> String { QuantityFormat.duration(mean(part.seconds, indices)) ?? "?" }
        let name = part.name.clipped(60)
        let way = around.isEmpty ? "" : ", called by \(around.map { $0.clipped(40) }.joined(separator: " → "))"
        switch part.kind {
        case .retries:
            return "\(count(slow)) retries\(name.isEmpty ? "" : " of \(name)") instead of \(count(ordinary))\(way)"
        case .wait:
            return "\(time(slow)) of waiting for \(name) instead of \(time(ordinary))\(way)"
        case .recovery:
            return "\(time(slow)) in recoveries\(name.isEmpty ? "" : " of \(name)") instead of \(time(ordinary))\(way)"
        case .work:
            let (more, before) = (mean(part.counts, slow), mean(part.counts, ordinary))
            let calls = abs(more - before) > 0.25 * before ? ", \(count(slow)) calls instead of \(count(ordinary))" : ""
            return "\(time(slow)) in \(name) instead of \(time(ordinary))\(calls)\(way)"
        }
    }
}

extension SpanPart {
    /// What was compared.
    fileprivate var described: String {
        switch kind {
        case .work: "time in \(name.clipped(60))"
        case .wait: "wait for \(name.clipped(60))"
        case .recovery, .retries: feature
        }
    }

    fileprivate var feature: String {
        switch kind {
        case .work: "part"
        case .recovery: "recovery"
        case .retries: "retries"
        case .wait: "wait"
        }
    }
}
