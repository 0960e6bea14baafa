// SPDX-License-Identifier: Apache-2.0

/// The calls of one client that run and wait, for the rules that let one call run at a time.
///
/// A pure state machine: it takes events and returns which calls start, end or are cancelled. `ActionScheduler` stores
/// it. A group, which is all calls with one key, exists only while one of its calls does, so the memory is bounded by
/// the calls in progress.
struct ActionSchedule: Sendable {
    typealias CallID = UInt64

    enum Rule: Sendable, Hashable {
        case serial(limit: Int)
        case latest
        case debounced
    }

    /// What calls have to have in common so that they wait for each other.
    enum Key: Sendable, Hashable {
        case action(Int)
        case text(String)
    }

    enum Arrival: Sendable, Hashable {
        case starts
        /// - Parameter behind: The call directly ahead in a serial queue; nil for the other rules.
        case waits(behind: CallID?)
        case refused
    }

    /// The consequences of an event for other calls.
    struct Effects: Sendable, Hashable {
        /// The call that starts now.
        var started: CallID?
        /// The waiting calls that will never run.
        var superseded: [CallID] = []
        /// The running call that is to be cancelled.
        var cancelled: CallID?
        /// In a serial queue: the call that from now on waits directly behind another one, because the call between
        /// them has left.
        var moved: Move?
    }

    struct Move: Sendable, Hashable {
        let call: CallID
        let behind: CallID
    }

    private struct GroupID: Hashable {
        let isSerial: Bool
        let key: Key
    }

    private struct Group {
        var running: CallID?
        /// Whether the running call was superseded.
        var isCancelled = false
        /// In the order of their arrival. At most one for the rules other than serial.
        var waiting: [CallID] = []
        /// The call whose quiet time has not passed yet.
        var quiet: CallID?

        var isEmpty: Bool { running == nil && waiting.isEmpty && quiet == nil }

        /// Lets the first waiting call run after the running one.
        mutating func startNext() -> CallID? {
            (running, isCancelled) = (waiting.isEmpty ? nil : waiting.removeFirst(), false)
            return running
        }

        /// Lets `call` run instead of all others.
        mutating func startLatest(_ call: CallID) -> (starts: Bool, cancelled: CallID?) {
            guard let running else {
                self.running = call
                return (true, nil)
            }
            waiting = [call]
            defer { isCancelled = true }
            return (false, isCancelled ? nil : running)
        }
    }

    private var groups: [GroupID: Group] = [:]
    private var calls: [CallID: GroupID] = [:]
    private var lastID: CallID = 0

    /// The number of calls that run or wait.
    var count: Int { calls.count }

    /// A call begins. A refused call gets no further events.
    mutating func arrive(_ key: Key, _ rule: Rule) -> (call: CallID, arrival: Arrival, effects: Effects) {
        lastID += 1
        let (call, effects): (CallID, Effects)
        call = lastID
        let arrival: Arrival
        switch rule {
        case .serial(let limit):
            (arrival, effects) = (queue(call, GroupID(isSerial: true, key: key), limit: limit), Effects())
        case .latest: (arrival, effects) = supersede(by: call, GroupID(isSerial: false, key: key), isQuiet: false)
        case .debounced: (arrival, effects) = supersede(by: call, GroupID(isSerial: false, key: key), isQuiet: true)
        }
        return (call, arrival, effects)
    }

    /// The quiet time of a debounced call has passed. Does nothing if the call was superseded or has left.
    mutating func elapsed(_ call: CallID) -> Effects {
        var effects = Effects()
        guard let id = calls[call], var group = groups[id], group.quiet == call else { return effects }
        group.quiet = nil
        let (starts, cancelled) = group.startLatest(call)
        groups[id] = group
        if starts { effects.started = call }
        effects.cancelled = cancelled
        return effects
    }

    /// A running call has ended, or a waiting one has left. Does nothing for any other call.
    mutating func end(_ call: CallID) -> Effects {
        var effects = Effects()
        guard let id = calls.removeValue(forKey: call), var group = groups[id] else { return effects }
        if group.running == call {
            effects.started = group.startNext()
        } else if group.quiet == call {
            group.quiet = nil
        } else if let index = group.waiting.firstIndex(of: call) {
            group.waiting.remove(at: index)
            if id.isSerial, index < group.waiting.count,
                let ahead = index > 0 ? group.waiting[index - 1] : group.running
            {
                effects.moved = Move(call: group.waiting[index], behind: ahead)
            }
        }
        groups[id] = group.isEmpty ? nil : group
        return effects
    }

    private mutating func queue(_ call: CallID, _ id: GroupID, limit: Int) -> Arrival {
        var group = groups[id] ?? Group()
        if let running = group.running {
            guard group.waiting.count < limit else { return .refused }
            let ahead = group.waiting.last ?? running
            group.waiting.append(call)
            (groups[id], calls[call]) = (group, id)
            return .waits(behind: ahead)
        }
        group.running = call
        (groups[id], calls[call]) = (group, id)
        return .starts
    }

    /// Replaces the waiting calls of a group by `call`.
    private mutating func supersede(by call: CallID, _ id: GroupID, isQuiet: Bool) -> (Arrival, Effects) {
        var (group, effects) = (groups[id] ?? Group(), Effects())
        effects.superseded = group.waiting + (group.quiet.map { [$0] } ?? [])
        for superseded in effects.superseded { calls[superseded] = nil }
        (group.waiting, group.quiet) = ([], nil)
        var starts = false
        if isQuiet {
            group.quiet = call
        } else {
            (starts, effects.cancelled) = group.startLatest(call)
        }
        (groups[id], calls[call]) = (group, id)
        return (starts ? .starts : .waits(behind: nil), effects)
    }
}
