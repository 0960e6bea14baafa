// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

// What held the main actor.
extension ObservedMoment {
    /// The hangs of the main actor in five minutes are one problem, while one lasts and for a minute after the last one.
    /// One cause makes many hangs, and for a few of them another operation is blamed. A hang without a processor is none.
    var hangProblems: [Problem] {
        let hangs = history.mainActor.hangs.filter { hang in
            let age = history.at - history.grid.seconds(hang.end)
            let isRecent = history.isExplained(hang) && age < RecentCounts.window
            return hang.cause != .process && (hang.isLasting || isRecent)
        }
        guard let last = hangs.last, let longest = hangs.map(\.seconds).max(),
            last.isLasting || history.grid.seconds(last.end) > history.at - History.window
        else { return [] }
        let shares = shares(of: hangs)
        var text = "held for \(QuantityText.seconds(longest)) by \(shares[0].hang.subject)"
        if hangs.count > 1 {
            let named = shares.prefix(3).map { "\($0.count) by \($0.hang.subject)" }
            let others = hangs.count - shares.prefix(3).reduce(0) { $0 + $1.count }
            let all = (named + (others > 0 ? ["\(others) by others"] : [])).joined(separator: ", ")
            text = "held \(hangs.count) times in 5 minutes, for \(QuantityText.seconds(longest)) at most"
            text += shares.count == 1 ? ", by \(shares[0].hang.subject)" : ": \(all)"
        }
        return [
            Problem(
                key: "hang",
                level: last.isLasting || longest >= 1 ? .bad : .warning,
                kind: .mainActor,
                component: shares[0].hang.culprit.flatMap { id(named: $0.component.name) },
                text: "Main actor \(last.isLasting ? "is" : "was") \(text)",
                past: "Main actor was \(text)",
                symptom: .held,
                seconds: longest
            )
        ]
    }

    /// One hang of each cause and how many there are: the most frequent first, of equals one of an operation. An operation
    /// is only likely if it was never seen.
    private func shares(of hangs: [MainActorHang]) -> [(hang: MainActorHang, count: Int)] {
        let groups = Dictionary(grouping: hangs) { hang in
            hang.culprit.map { "\($0.component).\($0.name)" } ?? hang.subject
        }
        let shares = groups.values.map { ($0.first { $0.culprit?.isSure == true } ?? $0[0], $0.count) }
        func order(_ share: (hang: MainActorHang, count: Int)) -> (Int, Int, String) {
            (-share.count, share.hang.culprit == nil ? 1 : 0, share.hang.subject)
        }
        return shares.sorted { order($0) < order($1) }
    }
}
