// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The circuit breakers of a process, one per name.
public final class CircuitBreakerRegistry: Sendable {
    private struct Entry {
        let breaker: CircuitBreaker
        /// The configuration of the first request.
        let original: CircuitBreakerConfiguration
    }

    /// Guards the table. No breaker is created or released under it.
    private let entries = Lock<[String: Entry]>([:])
    private let clock: TimeSource

    /// Creates a registry whose breakers use `clock`.
    public init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// Returns the breaker with that name. Creates it if it does not exist.
    ///
    /// The configuration must be equal to the one that the breaker was created with or has now. If it has closures, pass
    /// copies of one value: a closure that is set again is not equal to the earlier one.
    ///
    /// - Throws: ``ResilienceError`` if the configuration is invalid, or if the breaker exists with another one.
    public func breaker(
        _ name: String,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) -> CircuitBreaker {
        let check = SettingCheck(subject: CircuitBreaker.subject(name), file: file, line: line)
        let entry = try entry(name, configuration, check)
        guard entry.original == configuration || entry.breaker.configuration == configuration else {
            throw check.error(
                .conflictingConfiguration,
                "it exists with another configuration; use one configuration for a name, another name, or "
                    + "reconfigure(_:) to change the breaker"
            )
        }
        return entry.breaker
    }

    private func entry(
        _ name: String,
        _ configuration: CircuitBreakerConfiguration,
        _ check: SettingCheck
    ) throws(ResilienceError) -> Entry {
        if let known = entries.withLock({ $0[name] }) { return known }
        // Created outside of the lock. If another thread has added one since, that one is used.
        let breaker = try CircuitBreaker(name: name, configuration, clock: clock, file: check.file, line: check.line)
        let new = Entry(breaker: breaker, original: configuration)
        return entries.withLock { entries in
            if let known = entries[name] { return known }
            entries[name] = new
            return new
        }
    }

    /// All breakers, sorted by name.
    public var breakers: [CircuitBreaker] {
        entries.withLock { $0.values.map(\.breaker) }.sorted { $0.name < $1.name }
    }

    /// Removes the breaker with that name and returns it. References to it stay valid.
    @discardableResult
    public func remove(_ name: String) -> CircuitBreaker? {
        entries.withLock { $0.removeValue(forKey: name)?.breaker }
    }
}
