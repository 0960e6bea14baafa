// SPDX-License-Identifier: Apache-2.0

/// The kinds of faults of the second generator.
enum OtherKind: String, Sendable, CaseIterable {
    /// All calls of a component take many times as long.
    case slow
    /// A share of the calls fails, at once or by a time limit.
    case failing
    /// All calls fail for some seconds, and none for as many.
    case flapping
    /// Many attempts fail and are repeated; few calls fail.
    case retrying
    /// Instances of a context are never destroyed.
    case leaking
    /// The state of a client grows.
    case growing
    /// Calls wait for the actor of a client.
    case starving
    /// One named call fails always, from the start.
    case misconfigured
    /// Calls are rejected, because there is no instance.
    case unavailable
    /// A capability far below fails, and all above throw errors of their own.
    case deep
    /// A capability with several callers is slow or fails.
    case shared

    // The first generator has none of these.

    /// Calls wait for a connection of a capability's pool.
    case pool
    /// One of several named calls is slow.
    case oneCall
    /// One call in ten takes fifty times as long.
    case tail
    /// Calls take longer and longer, for ten minutes.
    case degrading
    /// Slow for two minutes, and not for two minutes.
    case comesAndGoes
    /// Only the calls of one caller fail.
    case oneCaller
    /// A queue fills for minutes, and then rejects a part.
    case queueing
    /// A share of the calls never ends.
    case hanging
    /// A cache answers nothing any more.
    case coldCache
}

/// What a fault does to one call.
struct OtherEffect: Sendable {
    /// Seconds before the own work.
    var wait = 0.0
    /// How many times as long the own work takes.
    var factor = 1.0
    /// The share that fails, with this code, and the seconds that a failure takes at least.
    var (failing, code, timeout) = (0.0, "FAULT", 0.0)
    /// The share of the attempts that are repeated.
    var repeated = 0.0
    /// The share that never ends.
    var hanging = 0.0
    var (isRejected, isFull, misses) = (false, false, false)
    /// How much of a call is affected: 1 if each call is.
    var weight = 1.0
}

/// A fault of one component.
struct OtherFault: Sendable {
    let kind: OtherKind
    let part: Int
    /// The only call with the fault; nil for all.
    var call: Int?
    /// The only caller with the fault; nil for all.
    var caller: Int?
    /// When it begins, in seconds of the run.
    let since: Double
    /// How many times as long the work takes.
    var factor = 1.0
    /// The share of the calls or of the attempts.
    var share = 1.0
    /// Of a wait, a period or a time limit.
    var seconds = 0.0
    /// The bytes by which the state grows in a second.
    var growth = 0.0
    /// Whether a shared fault fails, and whether leaked instances are reported as unmounted.
    var flag = false
    /// The names any of which is right.
    var accepted: [String] = []

    func isActive(_ call: Int, from caller: Int?, at time: Double) -> Bool {
        guard time >= since, self.call == nil || self.call == call, self.caller == nil || self.caller == caller else {
            return false
        }
        switch kind {
        case .flapping: return (time - since).truncatingRemainder(dividingBy: 2 * seconds) < seconds
        case .comesAndGoes: return (time - since).truncatingRemainder(dividingBy: 240) < 120
        default: return true
        }
    }

    /// What it does to a call that it is active for.
    func effect(at time: Double, _ dice: inout OtherDice) -> OtherEffect {
        var effect = OtherEffect()
        switch kind {
        case .slow, .oneCall, .comesAndGoes: effect.factor = factor
        case .shared where !flag: effect.factor = factor
        case .failing, .flapping, .deep, .shared, .misconfigured, .oneCaller:
            (effect.failing, effect.weight) = (share, share)
            if kind == .failing { effect.timeout = seconds }
            if kind == .misconfigured { effect.code = "MISCONFIGURED" }
        case .tail:
            effect.weight = dice.chance(share) ? 1 : 0
            if effect.weight > 0 { effect.factor = factor }
        case .degrading: effect.factor = 1 + (factor - 1) * min(1, (time - since) / 600)
        case .retrying: (effect.repeated, effect.weight) = (share, share)
        case .unavailable: (effect.isRejected, effect.code) = (true, "UNAVAILABLE")
        case .starving, .pool: effect.wait = dice.between(0, 2 * seconds)
        case .queueing:
            // It is full after four minutes.
            let filled = min(1, (time - since) / 240)
            effect.wait = seconds * filled * dice.between(0.9, 1.1)
            (effect.isFull, effect.code) = (filled == 1 && dice.chance(share), "QUEUE_FULL")
        case .hanging: (effect.hanging, effect.weight) = (share, share)
        case .coldCache: effect.misses = true
        case .leaking, .growing: break
        }
        return effect
    }
}
