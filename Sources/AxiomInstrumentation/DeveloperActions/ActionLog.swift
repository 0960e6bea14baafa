// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// An action of a developer that is in force.
package struct ActionInForce: Sendable, Hashable {
    package let action: DeveloperAction
    package let part: DeveloperAction.Part
    package let since: Instant
    /// When it ends by itself.
    package let until: Instant
    /// What is in force, with the time of its end.
    package let sentence: String
}

/// A use of an action, or its end.
package struct ActionUse: Sendable, Hashable {
    /// Whether an action began or ended.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A developer used it.
        case used
        /// Its duration is over.
        case expired
        /// The application or the dashboard ended.
        case ended
    }

    /// A number that grows from one use to the next, from 1.
    package let id: UInt64
    package let kind: Kind
    package let component: String
    package let at: Instant
    /// What happened, as a sentence.
    package let sentence: String
}

/// The actions that are in force, and the latest uses. A pure value.
struct ActionLog: Sendable {
    /// How many uses are kept.
    static let capacity = 100

    /// In the order in which they began.
    private(set) var inForce: [ActionInForce] = []
    /// The latest last.
    private(set) var uses: [ActionUse] = []
    private var lastID: UInt64 = 0

    /// Removes the actions on these parts of a component, which a new action replaces.
    mutating func replace(_ parts: [DeveloperAction.Part], of component: String) {
        inForce.removeAll { $0.action.component == component && parts.contains($0.part) }
    }

    mutating func begin(_ action: ActionInForce) {
        inForce.append(action)
    }

    /// Removes the actions whose time is over.
    mutating func expired(at now: Instant) -> [ActionInForce] {
        defer { inForce.removeAll { $0.until <= now } }
        return inForce.filter { $0.until <= now }
    }

    mutating func endAll() -> [ActionInForce] {
        defer { inForce = [] }
        return inForce
    }

    mutating func add(_ kind: ActionUse.Kind, _ component: String, _ sentence: String, at now: Instant) -> ActionUse {
        lastID += 1
        let use = ActionUse(id: lastID, kind: kind, component: component, at: now, sentence: sentence)
        uses.append(use)
        if uses.count > Self.capacity { uses.removeFirst() }
        return use
    }
}
