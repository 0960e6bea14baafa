// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

/// Finds what a snapshot knows of a cause: the way to it, and the numbers that show it.
struct DiagnosisEvidence {
    private let snapshot: SavedSnapshot
    private let components: [Int: SavedSnapshot.Component]
    private let profile: Profile?

    init(_ snapshot: SavedSnapshot) {
        self.snapshot = snapshot
        profile = snapshot.profile?.profile
        components = Dictionary(snapshot.components.map { ($0.id, $0) }) { first, _ in first }
    }

    /// - Parameter effects: The problems that follow from it.
    func cause(
        _ problem: SavedSnapshot.Finding,
        _ effects: [SavedSnapshot.Finding],
        most: Int
    ) -> Diagnosis.Cause {
        let parts = [problem] + effects
        let fails = parts.contains { ["errors", "circuits"].contains($0.panel) }
        let explained = fails ? nil : parts.lazy.compactMap { explanation($0) }.first
        let found = explained ?? parts.lazy.compactMap { evidence($0) }.first
        let component = problem.component.flatMap { components[$0] }
        return Diagnosis.Cause(
            says: problem.text.clipped(400),
            isHarmful: problem.isBad,
            component: component?.name.clipped(80),
            since: problem.since,
            effects: effects.prefix(most).map { $0.text.clipped(240) },
            path: path(to: problem.component, fails: fails).map { $0.clipped(60) },
            evidence: found.map { $0.text.clipped(240) + (hot($0.action).map { "; " + $0.clipped(240) } ?? "") },
            next: found?.trace.map { "#trace=\($0)" } ?? component.map { "#sel=\($0.kind)/\($0.name)" }
                ?? "#panel=\(problem.panel)"
        )
    }

    private func name(_ id: Int?) -> String { id.flatMap { components[$0]?.name } ?? "" }

    // MARK: - The way to the cause

    /// The names of the components on the longest of the shortest ways to a component, on which each step was called in the
    /// last minute, and failed if `fails`. Empty if nothing called it.
    private func path(to target: Int?, fails: Bool) -> [String] {
        guard let target else { return [] }
        var callers: [Int: [Int]] = [:]
        for edge in snapshot.edges ?? [] where edge.rate ?? 0 > 0 && (!fails || edge.errorRatio ?? 0 > 0) {
            callers[edge.to, default: []].append(edge.from)
        }
        var (next, reached, index) = ([target: target], [target], 0)
        while index < reached.count {
            for caller in (callers[reached[index]] ?? []).sorted() where next[caller] == nil {
                next[caller] = reached[index]
                reached.append(caller)
            }
            index += 1
        }
        guard reached.count > 1, var step = reached.last else { return [] }
        var names = [name(step)]
        while step != target {
            step = next[step] ?? target
            names.append(name(step))
        }
        return names
    }

    // MARK: - Numbers

    /// The action is `Cart.add`, of something slow alone.
    typealias Found = (text: String, trace: String?, action: String?)

    private func evidence(_ finding: SavedSnapshot.Finding) -> Found? {
        switch finding.panel {
        case "errors": error(finding)
        case "circuits": circuit(finding.component)
        case "regressions": regression(finding.component)
        case "budgets", "components": slowest(finding.component)
        default: nil
        }
    }

    /// What explains a slow problem; nil if nothing does.
    func explanation(_ finding: SavedSnapshot.Finding) -> Found? {
        guard let found = snapshot.explanations?.first(where: { $0.problem == finding.id }) else { return nil }
        let action = name(finding.component) + (found.action.map { ".\($0)" } ?? "")
        return ("\(action): \(found.text)", found.trace, found.action == nil ? nil : action)
    }

    /// The errors that a finding names with their chain; of several, those that came last.
    private func error(_ finding: SavedSnapshot.Finding) -> Found? {
        let groups = (snapshot.errors ?? []).filter {
            $0.component == finding.component && finding.text.contains($0.chain ?? $0.code)
        }
        guard let group = groups.max(by: { ($0.last, $0.id) < ($1.last, $1.id) }) else { return nil }
        let traced = (snapshot.occurrences ?? []).filter { $0.error == group.id && $0.trace != nil }
        let times = group.count == 1 ? "once" : "\(group.count) times"
        let text =
            "\(name(finding.component)): \(group.chain ?? group.code) \(times), the last at \(Self.time(group.last))"
        return (text, traced.max { $0.at < $1.at }?.trace, nil)
    }

    private func circuit(_ component: Int?) -> Found? {
        let circuits = (snapshot.circuits ?? []).filter { $0.component == component }
        for circuit in circuits {
            for (what, ratio, limit) in [
                ("failed", circuit.failureRatio, circuit.failureThreshold),
                ("were slow", circuit.slowRatio, circuit.slowThreshold),
            ] {
                guard let ratio, let limit, ratio >= limit else { continue }
                let (share, most) = (QuantityFormat.percentage(ratio), QuantityFormat.percentage(limit))
                return (
                    "\(share ?? "?") of the calls of \(name(component)) \(what), the limit is \(most ?? "?")", nil, nil
                )
            }
        }
        return nil
    }

    private func regression(_ component: Int?) -> Found? {
        let regressed = (snapshot.regressions ?? []).filter { $0.component == component && $0.verdict == "regressed" }
        guard let row = regressed.first, let now = row.current.flatMap(QuantityFormat.duration),
            let before = row.baseline.flatMap(QuantityFormat.duration)
        else { return nil }
        let action = "\(name(component)).\(row.action)"
        return ("\(action) takes \(now), in the baseline \(before)", row.trace, action)
    }

    /// The slowest call of a component, one with a trace if there is one.
    private func slowest(_ component: Int?) -> Found? {
        let calls = (snapshot.slowest ?? []).filter { $0.component == component }
        let traced = calls.filter { $0.trace != nil }
        guard let call = (traced.isEmpty ? calls : traced).max(by: { $0.seconds < $1.seconds }),
            let time = QuantityFormat.duration(call.seconds)
        else { return nil }
        let typical = component.flatMap { components[$0]?.p50 }.flatMap(QuantityFormat.duration)
        let action = "\(name(component)).\(call.action)"
        return ("\(action) took \(time)\(typical.map { ", p50 is \($0)" } ?? "")", call.trace, action)
    }

    /// In which function a slow action spends its processor time, or what it waits for; nil if no profile shows that.
    private func hot(_ action: String?) -> String? {
        guard let action, let profile else { return nil }
        if let (share, place) = profile.wait(of: action) {
            return "waits \(Int((share * 100).rounded())) % of its time\(place.map { " \($0)" } ?? "")"
        }
        guard let hot = profile.hotFunction(of: action) else { return nil }
        let frame = profile.frames.first { $0.kind == .function && $0.name == hot.name }
        func plain(_ text: String, _ limit: Int) -> String { text.clipped(limit).filter { $0 != "`" && !$0.isNewline } }
        return "`\(plain(hot.name, 120))`\(frame?.module.map { " in \(plain($0, 40))" } ?? "") takes "
            + "\(Profile.Share.text(hot.share, hot.low, hot.high)) of its processor time (\(hot.samples) samples)"
    }

    /// The time of day of a moment, such as 04:12:30 UTC.
    static func time(_ moment: Double) -> String {
        guard (0..<1e12).contains(moment) else { return "an unknown time" }
        let seconds = Int(moment.rounded(.down)) % 86_400
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") + " UTC"
    }
}
