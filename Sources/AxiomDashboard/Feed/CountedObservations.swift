// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

// What happens so often that it is worth knowing.
extension ObservedMoment {
    var countedObservations: [Problem] { machineObservation + repeatedCalls + stampedes }

    private func observation(
        _ key: String,
        _ kind: ProblemKind,
        _ text: String,
        past: String? = nil,
        _ symptom: Symptom = .other,
        of subjects: [String] = []
    ) -> Problem {
        Problem(
            key: "observation/\(key)",
            level: .observation,
            kind: kind,
            component: subjects.first.flatMap { id(named: $0) },
            text: text,
            past: past,
            symptom: symptom,
            subjects: subjects
        )
    }

    /// If threads wait for processors that other processes have, neither hangs nor slowness are those of the application:
    /// for more than a third of the time that they wanted to run, which makes each action half as long again, and 5 s in a
    /// minute, because a process that does next to nothing may wait for most of it. A process that has more than half of
    /// the processors is what others wait for. It lasts for five minutes, as long as budgets look back.
    private var machineObservation: [Problem] {
        let shares = history.counts.minutes.map { length, ran, waited -> Double? in
            let isOwn = ran > 0.5 * Double(observed.processors) * length
            let share = waited / max(ran + waited, 1e-9)
            return waited >= 5 && share > 1.0 / 3 && !isOwn ? share : nil
        }
        guard let now = shares.last, let worst = shares.compactMap(\.self).max() else { return [] }
        func text(_ when: String, _ share: Double) -> String {
            let share = QuantityText.percentage(share.significant(2))
            return "The machine \(when): threads waited \(share) of the time that they wanted to run"
        }
        let past = text("was short of processors", worst)
        let recently = text("was short of processors in the last 5 minutes", worst)
        let present = now.map { text("is short of processors", $0) }
        return [observation("machine", .machine, present ?? recently, past: past, .starved)]
    }

    /// Fewer stampedes in a minute are no load: one comes when a program starts, and one when a cache is emptied.
    private static let leastStampedes: UInt64 = 3

    private var stampedes: [Problem] {
        history.counts.names(of: .stampede).compactMap { cache in
            let count = history.counts.count(.stampede, cache, in: History.window)
            guard count >= Self.leastStampedes else { return nil }
            let callers = history.counts.count(.stampedeLoad, cache, in: History.window) / count
            let past = "\(callers) callers missed one key of \(cache) at once, \(count) times in a minute"
            let text = past + "; load it once with value(for:orLoad:)"
            return observation("stampede/\(cache)", .stampede, text, past: past)
        }
    }
}

// MARK: - Calls that are repeated

/// Calls in the last minute, and how often they were made again.
private struct RepeatedCalls {
    var calls: UInt64 = 0
    var retries: UInt64 = 0
    /// How often by each caller.
    var callers: [(name: String, retries: UInt64)] = []

    /// Whether at least half of all attempts are retries. Less than one in two seconds are no load.
    var isStorm: Bool { retries >= 30 && retries >= calls }
    /// Such as `7.1 times a call`. Calls that go on are not counted yet.
    var times: String {
        QuantityFormat.number((Double(retries) / Double(max(1, calls))).significant(2)) + " times a call"
    }
    var total: String { "\(retries) retries in a minute" }
}

extension ObservedMoment {
    /// Capabilities and retries that repeat most calls, which makes an outage worse.
    private var repeatedCalls: [Problem] {
        var capabilities: [String: RepeatedCalls] = [:]
        for (edge, counts) in observed.traffic where counts.retries > 0 {
            let before = history.mark?.callsByEdge[edge]
            let retries = counts.retries &- (before?.retries ?? 0)
            capabilities[edge.to.name, default: RepeatedCalls()].calls += counts.calls &- (before?.calls ?? 0)
            capabilities[edge.to.name]?.retries += retries
            if retries > 0 { capabilities[edge.to.name]?.callers.append((edge.from.name, retries)) }
        }
        let policies = history.counts.names(of: .retry).map { name in
            let calls = history.counts.count(.call, name, in: History.window)
            return (name, RepeatedCalls(calls: calls, retries: history.counts.count(.retry, name, in: History.window)))
        }
        return capabilities.filter(\.value.isStorm).map(ofCapability)
            + policies.filter(\.1.isStorm).map { name, calls in
                observation("retries/policy/\(name)", .retries, "Retry \(name) repeats \(calls.times): \(calls.total)")
            }
    }

    /// It follows from the failure that is repeated.
    private func ofCapability(_ name: String, _ calls: RepeatedCalls) -> Problem {
        let callers = calls.callers.sorted { ($1.retries, $0.name) < ($0.retries, $1.name) }.map(\.name)
        let text = "called again \(calls.times) by \(CauseFolding.listed(callers)): \(calls.total)"
        return observation(
            "retries/\(name)",
            .retries,
            "\(name) is \(text)",
            past: "\(name) was \(text)",
            .repeated(calls.times),
            of: [name] + callers
        )
    }
}
