// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The circuit breakers of a program, one for each name.
public final class CircuitBreakerRegistry: Sendable {
    private struct Entry {
        let breaker: CircuitBreaker
        /// The configuration with which it was asked for first.
        let original: CircuitBreakerConfiguration
    }

    /// Guards the table. No breaker is made or released under it.
    private let entries = Lock<[String: Entry]>([:])
    private let clock: TimeSource

    /// Makes a registry whose breakers take their time from `clock`.
    public init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// The breaker of that name, which is made where there is none.
    ///
    /// Configurations are compared by ``CircuitBreakerConfiguration``'s equality. If a configuration has closures, pass
    /// copies of one value, and do not set the closures again.
    ///
    /// - Throws: ``ResilienceError``: the configuration is not sound, or the name's breaker has another one and was not
    ///   made with this one either.
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
        // Made outside the lock. If another thread has made one meanwhile, that one stays.
        let breaker = try CircuitBreaker(name: name, configuration, clock: clock, file: check.file, line: check.line)
        let new = Entry(breaker: breaker, original: configuration)
        return entries.withLock { entries in
            if let known = entries[name] { return known }
            entries[name] = new
            return new
        }
    }

    /// The breaker of that name; nil where there is none.
    public subscript(name: String) -> CircuitBreaker? {
        entries.withLock { $0[name]?.breaker }
    }

    /// All breakers, by name.
    public var breakers: [CircuitBreaker] {
        entries.withLock { $0.values.map(\.breaker) }.sorted { $0.name < $1.name }
    }

    /// Removes the breaker of that name and returns it. References to it stay valid.
    @discardableResult
    public func remove(_ name: String) -> CircuitBreaker? {
        entries.withLock { $0.removeValue(forKey: name)?.breaker }
    }
}
