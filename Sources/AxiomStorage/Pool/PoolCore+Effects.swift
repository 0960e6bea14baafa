// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension PoolCore {
    /// Makes one transition, and carries out its effects.
    ///
    /// - Parameter failure: The error of a creation, for the waiters to whom it is reported.
    func change<R: Sendable>(
        failure: (any Error)? = nil,
        _ transition: (inout State, inout Machine.Effects) -> R
    ) -> R {
        let (result, checks) = changeWithoutChecks(failure: failure, transition)
        for lease in checks { check(lease) }
        return result
    }

    /// Makes one transition, and carries out its effects, except the checks that it returns.
    private func changeWithoutChecks<R: Sendable>(
        failure: (any Error)? = nil,
        _ transition: (inout State, inout Machine.Effects) -> R
    ) -> (R, checks: ShortList<Machine.Lease>) {
        var effects = Machine.Effects()
        let (result, old, new, ends) = state.withLock { state in
            let old = state.machine.counts
            let result = transition(&state, &effects)
            if let instant = effects.sweepAt { schedule(instant, in: &state) }
            var ends: [OneShot<PoolEnd>] = []
            if effects.isDrained { swap(&ends, &state.ends) }
            return (result, old, state.machine.counts, ends)
        }
        signals.changed(from: old, to: new)
        for (waiter, lease) in effects.served { waiter.settle(.leased(lease)) }
        for waiter in effects.late { waiter.settle(.late) }
        for waiter in effects.failed { waiter.settle(.failed(failure ?? CancellationError())) }
        for waiter in effects.rejected { waiter.settle(.failed(PoolError.closed(name))) }
        for number in effects.creations { create(number) }
        for (lease, reason) in effects.closings { close(lease, reason) }
        for end in ends { end.settle(.drained) }
        return (result, effects.checks)
    }

    // The tasks have the priority of the call that needs them, but not its task-local values: they may serve another one.

    /// Checks a connection, and in its place the next one if it is invalid. A check that does not suspend ends before this
    /// method returns.
    func check(_ lease: Machine.Lease) {
        var next: Machine.Lease? = lease
        while let lease = next {
            guard let isValid = lease.connection.knownValidity else { return startCheck(lease) }
            next = finishCheck(lease, isValid)
        }
    }

    private func startCheck(_ lease: Machine.Lease) {
        let body: @Sendable () async -> Void = { [self] in
            var next: Machine.Lease? = lease
            while let lease = next { next = finishCheck(lease, await lease.connection.isValid) }
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
            Task.immediateDetached(
                priority: Task.currentPriority,
                executorPreference: inheritedExecutor,
                operation: body
            )
        } else {
            Task.detached(executorPreference: inheritedExecutor, priority: Task.currentPriority, operation: body)
        }
        watchChecks()
    }

    /// Gives up connections whose checks take too long. One task waits for all checks.
    private func watchChecks() {
        state.withLock { state in
            guard state.checkTimer == nil, let first = state.machine.checkDeadline else { return }
            state.checkTimer = Task.detached(executorPreference: inheritedExecutor) { [weak self, clock] in
                var next: Instant? = first
                while let deadline = next, (try? await clock.sleep(until: deadline)) != nil {
                    next = self?.expireChecks()
                }
            }
        }
    }

    /// - Returns: When to look again; nil if no check is under way.
    private func expireChecks() -> Instant? {
        change { state, effects in
            state.machine.expireChecks(at: clock.now, &effects)
            let next = state.machine.checkDeadline
            if next == nil { state.checkTimer = nil }
            return next
        }
    }

    /// - Returns: A connection to check next, for the caller: if each check would start the next one, a pool full of broken
    ///   connections would use up the stack.
    private func finishCheck(_ lease: Machine.Lease, _ isValid: Bool) -> Machine.Lease? {
        var (_, checks) = changeWithoutChecks { $0.machine.checked(lease, isValid: isValid, at: clock.now, &$1) }
        let next = checks.popFirst()
        for lease in checks { check(lease) }
        return next
    }

    private func create(_ number: Int) {
        Task.detached(executorPreference: inheritedExecutor, priority: Task.currentPriority) { [self] in
            do {
                let connection = try await make()
                change { $0.machine.created(number, connection, at: clock.now, &$1) }
            } catch {
                change(failure: error) { $0.machine.creationFailed(number, at: clock.now, &$1) }
            }
        }
    }

    private func close(_ lease: Machine.Lease, _ reason: PoolCloseReason) {
        signals.closed(reason)
        Task.detached(executorPreference: inheritedExecutor, priority: Task.currentPriority) { [self] in
            await lease.connection.close()
            change { $0.machine.closed(lease.number, at: clock.now, &$1) }
        }
    }

    /// Replaces the timer. Called with the lock, so that the last request of the machine wins.
    private func schedule(_ instant: Instant, in state: inout State) {
        state.timer?.cancel()
        state.timer = Alarm(at: instant, on: clock) { [weak self, clock] in
            self?.change { $0.machine.sweep(at: clock.now, &$1) }
        }
    }
}
