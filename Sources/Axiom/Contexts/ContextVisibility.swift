// SPDX-License-Identifier: Apache-2.0

/// The notifications that a context has received, as a pure state machine: it takes events and returns whether to
/// notify the context.
///
/// Life cycle calls suspend, so an event can arrive while the context still handles an earlier one. The calls of
/// `onAppear()` and `onDisappear()` alternate: they begin with `onAppear()`, and end with `onDisappear()` once the
/// presentation was unmounted.
struct ContextVisibility: Hashable, Sendable {
    enum Life: Hashable, Sendable {
        /// Created or uncovered, and `onAppear()` has not been called since then.
        case pending
        /// `onAppear()` is under way.
        case appearing
        case visible
        /// The presentation was covered by another one, and `onDisappear()` has not returned yet.
        case covering
        /// Covered by another presentation. The context has received `onDisappear()`, or no notification at all.
        case covered
        /// The presentation was unmounted, and `onDisappear()` has not returned yet.
        case disappearing
        case gone
    }

    private(set) var life = Life.pending
    /// The application phase that the context knows: whether it is in the background.
    private(set) var knowsBackground = false
    /// The number of calls of `onAppear()`, which is the number of the latest one.
    private(set) var appearances = 0
    /// Whether a call of `onAppear()` has ended while the context was shown.
    private(set) var hasBeenVisible = false

    /// Whether the latest call was `onAppear()`, so that `onDisappear()` has to follow.
    var isShown: Bool { life == .appearing || life == .visible }

    /// The presentation is no longer covered: it can appear again. Does nothing unless the context is covered; while
    /// `onDisappear()` is under way, it is not covered yet.
    mutating func uncover() {
        if life == .covered { life = .pending }
    }

    /// The presentation appears. Returns the number of the call of `onAppear()` to make; nil if there is none to make.
    mutating func appear() -> Int? {
        guard life == .pending else { return nil }
        life = .appearing
        appearances += 1
        return appearances
    }

    /// A call of `onAppear()` has ended. Returns whether the context is visible because of it; false if the context was
    /// covered or disappeared before.
    mutating func appeared(_ number: Int) -> Bool {
        guard life == .appearing, number == appearances else { return false }
        life = .visible
        hasBeenVisible = true
        return true
    }

    /// Whether no `onDisappear()` followed the call of `onAppear()` with this number, which is the latest.
    func isShown(since number: Int) -> Bool { isShown && number == appearances }

    /// Whether the context is visible since the call of `onAppear()` with this number.
    func isVisible(since number: Int) -> Bool { life == .visible && number == appearances }

    /// The application is in the background or in the foreground. Returns whether to notify the context: if it is
    /// visible and knows the other phase.
    mutating func learn(isInBackground: Bool) -> Bool {
        guard life == .visible, knowsBackground != isInBackground else { return false }
        knowsBackground = isInBackground
        return true
    }

    /// The presentation was covered by another one. Returns false if the context was covered already or was unmounted.
    ///
    /// The context is ``Life/covering`` afterwards if `onDisappear()` is to be called, and ``Life/covered`` if not,
    /// because it has not appeared since it was created or uncovered.
    mutating func cover() -> Bool {
        switch life {
        case .pending: life = .covered
        case .appearing, .visible: life = .covering
        case .covering, .covered, .disappearing, .gone: return false
        }
        return true
    }

    /// `onDisappear()` of a context that was covered has returned.
    mutating func covered() {
        if life == .covering { life = .covered }
    }

    /// The presentation was unmounted. Returns false if it was already unmounted. `onDisappear()` is to be called if the
    /// context was shown before; see ``isShown``.
    mutating func disappear() -> Bool {
        guard life != .disappearing, life != .gone else { return false }
        life = .disappearing
        return true
    }

    /// `onDisappear()` has returned, or was not called because the context was not shown.
    mutating func disappeared() {
        if life == .disappearing { life = .gone }
    }
}
