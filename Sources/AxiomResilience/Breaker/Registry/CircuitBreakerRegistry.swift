// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The circuit breakers of a program, one for each name.
public final class CircuitBreakerRegistry: Sendable {
    private struct Entry {
        let breaker: CircuitBreaker
        /// The configuration with which it was asked for first.
        let original: CircuitBreakerConfiguration
    }

    /// Guards the table; a breaker is made under it, so that two who ask for a new name get the same.
    private let entries = Lock<[String: Entry]>([:])
    private let clock: TimeSource

    /// Makes a registry whose breakers take their time from `clock`.
    public init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// The breaker of that name, which is made where there is none.
    ///
    /// Configurations are compared by ``CircuitBreakerConfiguration``'s equality: who sets closures must ask with a
    /// copy of one configuration, and not set them again.
    ///
    /// - Throws: ``ResilienceError``: the configuration is not sound, or the name's breaker has another one and was not
    ///   made with this one either.
    public func breaker(
        _ name: String,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration()
    ) throws(ResilienceError) -> CircuitBreaker {
        let result = entries.withLock { entries in
            Result { () throws(ResilienceError) in try Self.breaker(name, configuration, clock, &entries) }
        }
        return try result.get()
    }

    private static func breaker(
        _ name: String,
        _ configuration: CircuitBreakerConfiguration,
        _ clock: TimeSource,
        _ entries: inout [String: Entry]
    ) throws(ResilienceError) -> CircuitBreaker {
        guard let entry = entries[name] else {
            let breaker = try CircuitBreaker(name: name, configuration, clock: clock)
            entries[name] = Entry(breaker: breaker, original: configuration)
            return breaker
        }
        guard entry.original == configuration || entry.breaker.configuration == configuration else {
            throw ResilienceError(
                .conflictingConfiguration,
                "The circuit breaker \(name) exists with another configuration. Use one configuration for a name, "
                    + "another name, or reconfigure(_:) to change the breaker."
            )
        }
        return entry.breaker
    }

    /// The breaker of that name; nil where there is none.
    public subscript(name: String) -> CircuitBreaker? {
        entries.withLock { $0[name]?.breaker }
    }

    /// All breakers, by name.
    public var breakers: [CircuitBreaker] {
        entries.withLock { $0.values.map(\.breaker) }.sorted { $0.name < $1.name }
    }

    /// Forgets the breaker of that name and returns it; who holds it can go on using it.
    @discardableResult
    public func remove(_ name: String) -> CircuitBreaker? {
        entries.withLock { $0.removeValue(forKey: name)?.breaker }
    }
}
