// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// An operation that the framework performs in a turn.
package enum TurnOperation: String, Sendable, Hashable, CaseIterable {
    case start
    case shutdown
    case initialize
    case terminate
    case availability = "availability check"
    case change
    case relieve
    case activate
    case deactivate
    case save
    case drain
    case observe = "whenObserved"
    case unobserve = "whenUnobserved"
    case mount
    case cover
    case uncover
    case unmount
    case navigation
    case appear
    case disappear
    case background
    case foreground
    case recovery
    case action
    case flight = "single flight"
}

/// The operation and the component of a turn.
package struct TurnSubject: Sendable, Hashable, CustomStringConvertible {
    package let operation: TurnOperation
    package let component: ComponentDescriptor

    package init(_ operation: TurnOperation, of component: ComponentDescriptor) {
        self.operation = operation
        self.component = component
    }

    /// The operation and the component, as in `unmount of the presentation CartView`.
    package var description: String { "\(operation.rawValue) of the \(component)" }
}

/// The number of a turn, unique in the process.
package struct TurnID: Sendable, Hashable, Comparable {
    fileprivate let number: UInt64

    package static func < (left: TurnID, right: TurnID) -> Bool { left.number < right.number }
}

/// A wait that would never end, because the awaited turn waits for the caller.
package struct WaitCycle: Error, Hashable, CustomStringConvertible {
    /// The turns along the cycle: the caller's, the one it would wait for, and so on. The caller's is repeated at the
    /// end.
    package let path: [TurnSubject]

    /// The turns along the cycle, as in `A → B → A`.
    package var description: String { path.map(\.description).joined(separator: " → ") }
}

/// The framework's operations in progress, and the waits between them.
///
/// A turn is one such operation: a start, a change, an unmount. If a turn begins within another one, the outer turn
/// waits for it. A turn can also wait for any other turn. A wait that would close a cycle is refused at once with its
/// path, so the turns never form a cycle and each of them can end.
///
/// A pure state machine: ``Turns`` stores the table of the process.
package struct TurnTable: Sendable {
    /// One operation in progress.
    package struct Turn: Sendable {
        package let subject: TurnSubject
        package let began: Instant
        /// The turn within which this one began, and which waits for it.
        fileprivate var outer: TurnID?
        /// The turns that have to end before this one can, each with the number of waits for it. A turn that has ended
        /// may remain here and is skipped: numbers are not reused.
        fileprivate var needs: [TurnID: Int] = [:]
        /// Whether its limit has expired. Nothing waits for it then, although it still runs.
        package fileprivate(set) var isAbandoned = false
    }

    private var turns: [TurnID: Turn] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// The number of turns in progress, including abandoned ones.
    package var count: Int { turns.count }

    /// The turns in progress, in the order in which they began.
    package var live: [(id: TurnID, turn: Turn)] {
        turns.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package func isLive(_ turn: TurnID) -> Bool { turns[turn] != nil }

    /// Begins a turn.
    ///
    /// - Parameters:
    ///   - caller: The turn whose code begins the new turn and waits for it. Ignored if it has ended.
    ///   - others: The turns that have to end before the new turn does anything. Those that have ended are ignored.
    /// - Throws: ``WaitCycle`` if one of `others` waits for `caller`, directly or indirectly. No turn begins then.
    package mutating func begin(
        _ subject: TurnSubject,
        at instant: Instant,
        within caller: TurnID?,
        after others: [TurnID]
    ) throws(WaitCycle) -> TurnID {
        let caller = caller.flatMap { isLive($0) ? $0 : nil }
        if let caller {
            for other in others { try refuseCycle(from: caller, by: [subject], to: other) }
        }
        return insert(subject, at: instant, within: caller, after: others)
    }

    /// Ends a turn. Does nothing if it has already ended.
    package mutating func end(_ id: TurnID) {
        guard let turn = turns.removeValue(forKey: id) else { return }
        if let outer = turn.outer { turns[outer]?.needs[id] = nil }
    }

    /// Ends the outer turn's wait for this turn, which continues to run. Waits recorded by ``beginWait(of:for:)`` stay.
    package mutating func abandon(_ id: TurnID) {
        guard let turn = turns[id], !turn.isAbandoned else { return }
        turns[id]?.isAbandoned = true
        turns[id]?.outer = nil
        endWait(of: turn.outer, for: id)
    }

    /// Records that `caller` waits for `other` until ``endWait(of:for:)``. Does nothing if one of them has ended.
    ///
    /// - Throws: ``WaitCycle`` if `other` is the caller or waits for it. Nothing is recorded then.
    package mutating func beginWait(of caller: TurnID?, for other: TurnID) throws(WaitCycle) {
        guard let caller, isLive(caller), isLive(other) else { return }
        try refuseCycle(from: caller, by: [], to: other)
        turns[caller]?.needs[other, default: 0] += 1
    }

    /// Records the end of one wait of `caller` for `other`.
    package mutating func endWait(of caller: TurnID?, for other: TurnID) {
        guard let caller, let waits = turns[caller]?.needs[other] else { return }
        turns[caller]?.needs[other] = waits > 1 ? waits - 1 : nil
    }

    /// Throws if `other` cannot end before `caller`.
    private func refuseCycle(from caller: TurnID, by steps: [TurnSubject], to other: TurnID) throws(WaitCycle) {
        guard let way = path(from: other, to: caller) else { return }
        let subjects = ([caller] + way).compactMap { turns[$0]?.subject }
        throw WaitCycle(path: subjects.prefix(1) + steps + subjects.dropFirst())
    }

    /// A shortest chain of turns from `first` to `last`, each of which needs the next, or nil. Linear in the waits.
    package func path(from first: TurnID, to last: TurnID) -> [TurnID]? {
        guard isLive(first), isLive(last) else { return nil }
        var (came, waiting): ([TurnID: TurnID], [TurnID]) = ([:], [first])
        var next = 0
        while next < waiting.count, waiting[next] != last {
            for (need, _) in turns[waiting[next]]?.needs ?? [:] where need != first && came[need] == nil && isLive(need)
            {
                came[need] = waiting[next]
                waiting.append(need)
            }
            next += 1
        }
        guard next < waiting.count else { return nil }
        var path = [last]
        while let head = path.last, head != first, let before = came[head] { path.append(before) }
        return path.reversed()
    }

    /// Whether only its own code keeps `turn` from ending.
    package func needsNothing(_ turn: TurnID) -> Bool {
        !(turns[turn]?.needs.keys.contains(where: isLive) ?? false)
    }

    /// The turns that keep `turn` from ending: the innermost ones that it needs, directly or indirectly, and that need
    /// no other turn. This is `turn` itself if it needs none.
    package func obstacles(of turn: TurnID) -> [Turn] {
        var (seen, waiting, found): (Set<TurnID>, [TurnID], [TurnID]) = ([turn], [turn], [])
        while let next = waiting.popLast() {
            let needs = (turns[next]?.needs.keys).map { $0.filter(isLive) } ?? []
            if needs.isEmpty { found.append(next) }
            for need in needs where seen.insert(need).inserted { waiting.append(need) }
        }
        return found.sorted().compactMap { turns[$0] }
    }

    /// Begins a turn that waits for no other turn and is therefore never refused.
    package mutating func begin(_ subject: TurnSubject, at instant: Instant, within caller: TurnID?) -> TurnID {
        insert(subject, at: instant, within: caller.flatMap { isLive($0) ? $0 : nil }, after: [])
    }

    private mutating func insert(
        _ subject: TurnSubject,
        at instant: Instant,
        within caller: TurnID?,
        after others: [TurnID]
    ) -> TurnID {
        lastNumber += 1
        let id = TurnID(number: lastNumber)
        var turn = Turn(subject: subject, began: instant, outer: caller)
        for other in others where isLive(other) { turn.needs[other, default: 0] += 1 }
        turns[id] = turn
        if let caller { turns[caller]?.needs[id] = 1 }
        return id
    }
}
