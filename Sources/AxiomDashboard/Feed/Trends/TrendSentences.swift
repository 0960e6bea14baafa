// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension TrendSubject {
    /// Empty for what belongs to no component.
    var component: String {
        switch self {
        case .operation(let name, _), .component(let name), .state(let name), .instances(let name), .inFlight(let name),
            .actor(let name), .pool(let name):
            name
        case .gauge, .process: ""
        }
    }

    /// Identifies the subject within the keys of a detector.
    var key: String {
        switch self {
        case .pool(let name): "pool/\(name)"
        case .gauge(let family, let label): "\(family)/\(label)"
        case .process: "process"
        default: component
        }
    }
}

extension TrendFinding {
    var detector: TrendDetector {
        switch (change, subject) {
        case (.slow, .operation): .latency
        case (.tail, _): .tail
        case (.hanging, _): .hang
        case (.living, _): .lives
        case (.slow, _): .wait
        case (.failing, _): .failing
        case (.growth, .inFlight): .backlog
        case (.growth, _): .growth
        case (.silence, _): .silence
        }
    }

    /// Which of several findings of one component is shown.
    var weight: Double {
        switch change {
        case .slow(let now, let before): now / max(1e-6, before)
        case .failing(let now, let before): now - before
        case .tail(let share, _): share
        case .hanging(let calls, _): calls
        case .growth(let from, let to, _): to / max(1, from)
        case .living(let kept, _, _, _, _): kept
        case .silence(let rate, _): rate
        }
    }

    /// Whether a median is more than three times as long as before, and 200 ms more than that. Threads that wait for two
    /// thirds of the time make work three times as long; 200 ms are left for threads that wake up.
    var isBeyondMachine: Bool {
        if case .slow(let now, let before) = change { now > 3 * before + 0.2 } else { false }
    }

    /// Such as `MapClient's state grew from 1.1 MB to 3.2 MB in 6 minutes`.
    ///
    /// - Parameter past: Whether it has ended.
    func text(past: Bool) -> String {
        switch change {
        case .slow(let now, let before):
            let (now, before) = (QuantityText.seconds(now), QuantityText.seconds(before))
            return "\(slowness(now, past)) at the median, \(before) in the hour before"
        case .failing(let now, let before):
            let (now, before) = (QuantityText.percentage(now), QuantityText.percentage(before))
            return "\(name) \(past ? "failed" : "fails") in \(now) of its calls, \(before) in the hour before"
        case .tail(let share, let limit):
            let (share, limit) = (QuantityText.percentage(share.significant(2)), QuantityText.seconds(limit))
            return
                "\(share) of the calls of \(name) \(past ? "took" : "take") more than \(limit), twice what 99 % took before"
        case .hanging(let calls, let seconds):
            let count = QuantityFormat.number(calls.significant(2))
            let state = "\(past ? "had" : "have") not ended after \(QuantityText.seconds(seconds))"
            return "At least \(count) calls of \(name) \(state), unlike nearly all before"
        case .living(let kept, let total, let keptBefore, let totalBefore, let seconds):
            let lives = "\(Int(kept)) of \(Int(total)) new instances of \(subject.component)"
            let before = "\(Int(keptBefore)) of \(Int(totalBefore)) before"
            return "\(lives) \(past ? "lived" : "live") on after \(QuantityText.seconds(seconds)), \(before)"
        case .growth(let from, let to, let seconds):
            let minutes = Int((seconds / 60).rounded())
            return "\(level) grew from \(quantity(from)) to \(quantity(to)) in \(minutes) minutes"
        case .silence(let rate, let until):
            let often = "\(name) was called \(QuantityFormat.number(rate.significant(2))) times a second"
            let time = QuantityText.moment(until).dropFirst(11).prefix(8)
            return "\(often) until \(time) UTC, and \(past ? "then not for a while" : "not since")"
        }
    }

    private func slowness(_ time: String, _ past: Bool) -> String {
        switch subject {
        case .actor(let client): "Calls of \(client) \(past ? "waited" : "wait") \(time) for its actor"
        case .pool(let pool): "Calls \(past ? "waited" : "wait") \(time) for a connection of pool \(pool)"
        default: "\(name) \(past ? "took" : "takes") \(time)"
        }
    }

    private var name: String {
        guard case .operation(let component, let operation) = subject else { return subject.component }
        return "\(component).\(operation)"
    }

    private var level: String {
        switch subject {
        case .state(let client): "\(client)'s state"
        case .instances(let component): "Living instances of \(component)"
        case .inFlight(let component): "Calls of \(component) in flight"
        case .gauge(let family, let label): "\(family) of \(label)"
        default: "The memory of the process"
        }
    }

    private func quantity(_ level: Double) -> String {
        switch subject {
        case .state, .process: QuantityFormat.size(level)
        default: QuantityFormat.number(level)
        }
    }
}
