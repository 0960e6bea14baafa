// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// The history of a flow, and which of its screens are live: a pure state machine.
///
/// The screen on top is always live and the only one that is not covered. At most `liveScreens` are live, the newest
/// ones; a screen below a modal one is preferred to an older one. Effects that can
/// fail, those that open a screen, and their covers precede all effects that cannot be reverted. So a caller that fails
/// reverts what it did, and keeps the previous stack.
package struct NavigationStack<R: Route>: Sendable, Hashable {
    /// The routes, the root first. Empty until the first change.
    package private(set) var entries: [StackEntry<R>] = []
    /// The entries that have a screen.
    package private(set) var live: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private let historyLimit: Int
    private let liveLimit: Int
    private let whenOnStack: NavigationOptions.WhenOnStack
    private let whenFull: NavigationOptions.WhenFull

    package init(_ options: NavigationOptions) {
        historyLimit = max(1, options.historyLimit)
        liveLimit = max(1, options.liveScreens)
        whenOnStack = options.whenOnStack
        whenFull = options.whenFull
    }

    package var routes: [R] { entries.map(\.route) }

    /// The visible entries: the one on top, and those under it as long as the one above is modal. The lowest first.
    package var visible: ArraySlice<StackEntry<R>> { Self.visible(of: entries) }

    /// Carries out a change.
    ///
    /// - Returns: The steps that make the screens follow, in their order. None if nothing changed.
    /// - Throws: ``NavigationError`` if the options or the limit refuse the change. The stack is then as before.
    package mutating func apply(_ change: StackChange<R>) throws(NavigationError) -> [StackEffect<R>] {
        switch change {
        case .show(let route): try show(route, on: entries[...])
        case .replace(let route) where route == entries.last?.route: []
        case .replace(let route): try show(route, on: entries.dropLast())
        case .back(let count): move(to: Array(entries.dropLast(min(max(0, count), max(0, entries.count - 1)))))
        case .root: move(to: Array(entries.prefix(1)))
        case .reset(let routes): try reset(to: routes)
        }
    }

    /// The stack after a change, and its effects; see ``apply(_:)``.
    package func applying(_ change: StackChange<R>) throws(NavigationError) -> (stack: Self, effects: [StackEffect<R>])
    {
        var next = self
        let effects = try next.apply(change)
        return (next, effects)
    }

    /// - Parameter below: All entries, or all but the last one, which the route replaces whatever its style.
    private mutating func show(
        _ route: R,
        on below: ArraySlice<StackEntry<R>>
    ) throws(NavigationError) -> [StackEffect<R>] {
        if let index = below.lastIndex(where: { $0.route == route }), whenOnStack != .push {
            guard whenOnStack == .popTo else { throw .routeInHistory(route.identifier) }
            return move(to: Array(entries[...index]))
        }
        let entry = entry(of: route)
        var next = entry.style == .replace ? Array(entries.dropLast()) : Array(below)
        if next.count >= historyLimit {
            guard whenFull == .dropOldest, next.count > 1 else {
                throw .historyFull(route.identifier, limit: historyLimit)
            }
            next.remove(at: 1)
        }
        return move(to: next + [entry])
    }

    private mutating func reset(to routes: [R]) throws(NavigationError) -> [StackEffect<R>] {
        guard let last = routes.last else { throw .emptyHistory }
        guard routes.count <= historyLimit else { throw .historyFull(last.identifier, limit: historyLimit) }
        let kept = zip(entries, routes).prefix { $0.route == $1 }.map(\.0)
        return move(to: kept + routes.dropFirst(kept.count).map { entry(of: $0) })
    }

    private mutating func entry(of route: R) -> StackEntry<R> {
        lastID += 1
        return StackEntry(id: lastID, route: route, style: route.metadata.transition)
    }

    private mutating func move(to next: [StackEntry<R>]) -> [StackEffect<R>] {
        guard next != entries else { return [] }
        let (kept, wanted) = (Set(next.map(\.id)), liveEntries(of: next))
        let (oldTop, newTop) = (entries.last?.id, next.last?.id)
        let opens = next.filter { wanted.contains($0.id) && !live.contains($0.id) }
        var effects: [StackEffect<R>] = []
        if let oldTop, oldTop != newTop, kept.contains(oldTop) || !opens.isEmpty { effects.append(.cover(oldTop)) }
        for entry in opens {
            effects.append(.open(entry))
            if entry.id != newTop { effects.append(.cover(entry.id)) }
        }
        for entry in entries.reversed() where !kept.contains(entry.id) { effects.append(.close(entry.id)) }
        for entry in next where live.contains(entry.id) && !wanted.contains(entry.id) {
            effects.append(.dehydrate(entry.id))
        }
        if let newTop, newTop != oldTop, live.contains(newTop) { effects.append(.uncover(newTop)) }
        (entries, live) = (next, wanted)
        return effects
    }

    /// The entries of `next` that have a screen: the visible ones, then those that have one now, the newest first.
    private func liveEntries(of next: [StackEntry<R>]) -> Set<UInt64> {
        var wanted = Set(Self.visible(of: next).suffix(liveLimit).map(\.id))
        for entry in next.reversed() where wanted.count < liveLimit && live.contains(entry.id) {
            wanted.insert(entry.id)
        }
        return wanted
    }

    private static func visible(of entries: [StackEntry<R>]) -> ArraySlice<StackEntry<R>> {
        entries.suffix(from: entries.lastIndex { !$0.isModal } ?? 0)
    }
}

/// One route of a history, with its own number: a history can contain a route twice.
package struct StackEntry<R: Route>: Sendable, Hashable {
    /// Unique in its stack.
    package let id: UInt64
    package let route: R
    /// How the route was shown. Read once: the metadata of a route may be computed.
    package let style: TransitionStyle

    /// Whether the screen below stays visible.
    package var isModal: Bool {
        if case .modal = style { true } else { false }
    }
}

/// A change of a stack.
package enum StackChange<R: Route>: Sendable, Hashable {
    case show(R)
    /// Shows the route in place of the last one. Nothing changes if that is the same route.
    case replace(R)
    /// Goes back this many routes, at most to the root.
    case back(Int)
    case root
    /// Replaces the history, the root first. The routes that both histories begin with keep their screens.
    case reset([R])
}

/// A step that makes the screens follow the stack.
package enum StackEffect<R: Route>: Sendable, Hashable {
    /// The screen is not on top any more.
    case cover(UInt64)
    /// A screen is made and shown. The same id may be opened again after it was dehydrated.
    case open(StackEntry<R>)
    /// The entry left the history: its screen ends if it is live, and its image is discarded.
    case close(UInt64)
    /// The screen is on top again.
    case uncover(UInt64)
    /// The screen ends. The entry stays in the history.
    case dehydrate(UInt64)
}
