// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension ContextRuntime {
    /// Notifies the tree that it appeared: upstream before downstream, one context after the other. Stops if the
    /// context disappears or is covered while it appears.
    ///
    /// A context that appears while the application is in the background is notified of that afterwards, downstream
    /// before upstream.
    func appear() async {
        guard let context, let number = visibility.appear() else { return }
        let outcome = await callOnAppear(of: context, number)
        let isFirst = !visibility.hasBeenVisible
        let isVisible = visibility.appeared(number)
        // The end of the operation was reported before the context was visible.
        supervisor?.quiescence.changed()
        // A context that is covered may appear again: how it ends is not known yet.
        if isFirst, isVisible || isUnmounted, outcome != .success || !isVisible {
            context.identity.note(outcome == .failure ? .failed : .cancelled)
        }
        for child in downstream where visibility.isVisible(since: number) { await child.runtime.appear() }
        await tellApplicationPhase()
    }

    private func callOnAppear(of context: any Context, _ number: Int) async -> ActionOutcome {
        let appearance = PendingAppearance()
        pendingAppearance = appearance
        defer {
            if pendingAppearance === appearance { pendingAppearance = nil }
            appearance.end()
        }
        return await run(.appear, context) { [weak self] in
            appearance.turn = Turns.current
            // False for a retry of an earlier call.
            guard self?.visibility.isShown(since: number) == true else { throw Cancellation.onPurpose }
            try await $0.onAppear()
        }
    }

    /// The tree is no longer covered: it appears with the next ``appear()``.
    func uncover() {
        visibility.uncover()
        for child in downstream { child.runtime.uncover() }
    }

    /// Returns when no `onAppear()` of the tree is under way. The limit of `onAppear()` bounds the wait. Does not wait
    /// for a call that itself waits for the turn of this task.
    func endAppearances() async {
        await endAppearance()
        for child in downstream { await child.runtime.endAppearances() }
    }

    private func endAppearance() async {
        guard let appearance = pendingAppearance else { return }
        // Nil only where the task of a call cannot begin immediately.
        guard let turn = appearance.turn else { return await appearance.wait() }
        try? await Turns.wait(for: turn) { await appearance.wait() }
    }

    /// Notifies the tree that it was covered: as ``disappear()``, but the contexts can be uncovered, so the positions of
    /// their observations are kept.
    func cover() async {
        guard visibility.cover() else { return }
        let notifies = life == .covering
        followEnding()
        defer { unfollowEnding() }
        cancelOperations()
        for child in downstream.reversed() { await child.runtime.cover() }
        endObservations()
        if notifies, let context { await run(.disappear, context) { try await $0.onDisappear() } }
        visibility.covered()
        for operation in operations.values { operation.cancel() }
    }

    /// Notifies the tree that it disappeared: downstream before upstream, the last created first. Cancels the
    /// operations under way at once, in the whole tree. A context's observations end before the context is notified. A
    /// context that never appeared, or is covered, is not notified.
    ///
    /// The context can still handle actions until its `onDisappear()` has returned, so that it can send itself one.
    func disappear() async {
        let notifies = visibility.isShown
        guard visibility.disappear() else { return }
        if !notifies, !visibility.hasBeenVisible { context?.identity.note(.cancelled) }
        followEnding()
        defer { unfollowEnding() }
        cancelOperations()
        for child in downstream.reversed() { await child.runtime.disappear() }
        endObservations()
        if notifies, let context { await run(.disappear, context) { try await $0.onDisappear() } }
        visibility.disappeared()
        positions.removeAll()
        for operation in operations.values { operation.cancel() }
        supervisor?.quiescence.wasUnmounted(self)
    }

    /// Notes for a test that the work of this task lets the context disappear.
    private func followEnding() {
        if let waits = TestWaits.current { testWaits[ObjectIdentifier(self)] = waits }
    }

    private func unfollowEnding() {
        testWaits[ObjectIdentifier(self)] = nil
        supervisor?.quiescence.changed()
    }

    private func cancelOperations() {
        for operation in operations.values { operation.cancel() }
        for child in downstream { child.runtime.cancelOperations() }
    }

    /// Notifies the tree that the application returned to the foreground: upstream before downstream. A context is
    /// notified only if it was notified of the background before.
    func enterForeground() async {
        await tellApplicationPhase()
        for child in downstream { await child.runtime.enterForeground() }
    }

    /// Notifies the tree that the application entered the background: downstream before upstream. A context that has
    /// not appeared yet is notified after its `onAppear()`; this does not wait for it.
    func enterBackground() async {
        for child in downstream.reversed() { await child.runtime.enterBackground() }
        await tellApplicationPhase()
    }

    /// Notifies the context of the application's phase, unless it knows the phase already. A context that has not
    /// appeared, is covered or disappears is not notified.
    private func tellApplicationPhase() async {
        let isInBackground = supervisor?.isInBackground ?? false
        guard let context, visibility.learn(isInBackground: isInBackground) else { return }
        if isInBackground {
            await run(.background, context) { try await $0.onBackground() }
        } else {
            await run(.foreground, context) { try await $0.onForeground() }
        }
    }

    /// Reports that the presentation was unmounted: this context and all below it should end now.
    func reportUnmounted() {
        guard port.observer != nil else { return }
        context?.identity.reportUnmounted()
        for child in downstream { child.runtime.reportUnmounted() }
    }
}

/// A call of `onAppear()` that is under way.
@MainActor
final class PendingAppearance {
    /// The turn of the call; nil until it has begun.
    var turn: TurnID?
    private var hasEnded = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// The call has returned, or its limit has expired.
    func end() {
        hasEnded = true
        for waiter in waiters { waiter.resume() }
        waiters.removeAll()
    }
}
