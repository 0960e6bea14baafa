// SPDX-License-Identifier: Apache-2.0

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
