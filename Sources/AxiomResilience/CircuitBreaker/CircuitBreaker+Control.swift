// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CircuitBreaker {
    /// Rejects every call until ``reset()`` or ``disable()``. Discards the calls in the window.
    public func forceOpen() { update { $0.force(.forcedOpen, at: $1) } }

    /// Admits every call and decides nothing until ``reset()`` or ``forceOpen()``. Discards the calls in the window.
    public func disable() { update { $0.force(.disabled, at: $1) } }

    /// Closes the breaker from any state and discards the calls in the window. In shadow mode the state is shadow again.
    /// The counts are kept.
    public func reset() { update { $0.reset(at: $1) } }

    /// Opens the breaker for a given time. A longer open time that has already begun is kept.
    ///
    /// - Returns: Whether the breaker is now open for that long, or would be in shadow mode. False if it is forced open
    ///   or disabled.
    /// - Throws: ``ResilienceError`` if the duration is not positive or is longer than a year.
    @discardableResult
    public func open(
        for duration: Duration,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) -> Bool {
        try SettingCheck(subject: Self.subject(name), file: file, line: line).require(
            duration >= .nanoseconds(1) && duration <= .seconds(365 * 86_400),
            "the open time",
            duration,
            "use at least a nanosecond and at most a year, or forceOpen()"
        )
        return update { $0.open(nanoseconds: duration.clampedNanoseconds, at: $1) }
    }

    /// The present configuration.
    public var configuration: CircuitBreakerConfiguration { core.withLock { $0.configuration } }

    /// Replaces the configuration, and keeps the state, the window and the counts.
    ///
    /// A smaller window keeps the latest calls. When a count window becomes a time window, its calls are dated to now. An
    /// open time that has begun is not changed. The new rules apply from the next call on.
    ///
    /// - Throws: ``ResilienceError`` that names the breaker, the setting and the remedy. The old configuration stays in use.
    public func reconfigure(
        _ configuration: CircuitBreakerConfiguration,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let check = SettingCheck(subject: Self.subject(name), file: file, line: line)
        let rules = try BreakerRules(configuration, check)
        // Swapped out, to release the old closures outside of the lock: a deinitializer may be user code.
        var old = configuration
        update { machine, now in
            machine.reconfigure(rules, at: now)
        } finally: { core in
            swap(&core.configuration, &old)
            clockRequirements.set(rules)
        }
    }

    @discardableResult
    private func update<Result>(
        _ body: (inout BreakerMachine, Instant) -> Result,
        finally finish: (inout Core) -> Void = { _ in }
    ) -> Result {
        let now = clock.now
        let result = access { core in
            defer { finish(&core) }
            return body(&core.machine, now)
        }
        publish()
        return result
    }
}
