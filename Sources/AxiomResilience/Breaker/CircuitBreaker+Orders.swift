// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CircuitBreaker {
    /// Rejects every call until ``reset()`` or ``disable()``. Evidence is dropped.
    public func forceOpen() {
        command { $0.obey(.forcedOpen, at: $1) }
    }

    /// Admits every call and decides nothing until ``reset()`` or ``forceOpen()``. Evidence is dropped.
    public func disable() {
        command { $0.obey(.disabled, at: $1) }
    }

    /// Closes and begins anew, whatever the state. In shadow mode the state is shadow again. Evidence is dropped; what
    /// was counted stays.
    public func reset() {
        command { $0.reset(at: $1) }
    }

    /// Opens for a time that is known from elsewhere. An open time that is longer already stays as it is.
    ///
    /// - Returns: Whether it is open for so long now, in shadow mode would be; false while it is forced open or disabled.
    /// - Throws: ``ResilienceError`` for a duration that is not positive, or longer than a year.
    @discardableResult
    public func open(
        for duration: Duration,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) -> Bool {
        try SettingCheck(subject: Self.subject(name), file: file, line: line).require(
            duration >= .nanoseconds(1) && duration <= .seconds(365 * 86_400),
            "the time to open for",
            duration,
            "use at least a nanosecond and at most a year, or forceOpen()"
        )
        return command { $0.open(nanoseconds: duration.clampedNanoseconds, at: $1) }
    }

    /// The configuration in force.
    public var configuration: CircuitBreakerConfiguration {
        core.withLock { $0.configuration }
    }

    /// Takes another configuration, and keeps the state, the window and what was counted.
    ///
    /// A smaller window keeps the latest calls. From a count window to a time window, calls are taken to have been now.
    /// An open time that runs is not changed, and rules are applied from the next call on.
    ///
    /// - Throws: ``ResilienceError`` that names the breaker, the option and the remedy; the old configuration stays in force.
    public func reconfigure(
        _ configuration: CircuitBreakerConfiguration,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let check = SettingCheck(subject: Self.subject(name), file: file, line: line)
        let rules = try BreakerRules(configuration, check)
        // The old closures are released outside the lock, as that may run code.
        var old = configuration
        command { machine, now in
            machine.reconfigure(rules, at: now)
        } and: { core in
            swap(&core.configuration, &old)
            pace.set(rules)
        }
    }

    @discardableResult
    private func command<Result>(
        _ body: (inout BreakerMachine, Instant) -> Result,
        and finish: (inout Core) -> Void = { _ in }
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
