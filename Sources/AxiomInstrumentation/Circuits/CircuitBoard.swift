// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import AxiomResilience

/// The circuit breakers of an application: one for each client type, one for each context type that has a rule, and
/// those that the application watches besides.
final class CircuitBoard: Collector {
    private struct Breakers {
        /// In the order in which they came, no two of one name.
        var all: [CircuitBreaker] = []
        /// Those of components; the rest is watched, and guards no component whatever its name.
        var ofComponents: [ComponentDescriptor: CircuitBreaker] = [:]
        /// The rules of types that have been registered.
        var usedRules: Set<ObjectIdentifier> = []
    }

    /// By type. Each was made into a breaker once, so that it is known to be sound.
    private let rules: [ObjectIdentifier: BreakerRule]
    private let clock: TimeSource
    /// Guarded by its lock, which is taken when a component type is registered and at a scrape.
    private let breakers = Lock(Breakers())
    let transitions = TransitionLog()

    /// - Throws: ``TelemetryError`` for a configuration that no breaker can be made of, and for a second rule for a type.
    init(_ rules: [BreakerRule], clock: TimeSource) throws(TelemetryError) {
        var table: [ObjectIdentifier: BreakerRule] = [:]
        for rule in rules {
            let name = String(describing: rule.type)
            guard table.updateValue(rule, forKey: rule.identifier) == nil else {
                throw TelemetryError.twoBreakers(name)
            }
            do {
                _ = try CircuitBreaker(
                    name: name,
                    rule.configuration,
                    clock: clock,
                    file: rule.file,
                    line: rule.line
                )
            } catch {
                throw TelemetryError.invalidBreaker(name, error)
            }
        }
        self.rules = table
        self.clock = clock
    }

    /// The breaker of a client type, in shadow mode where it has no rule.
    ///
    /// - Parameter type: The type that the client is registered as, which the rules name.
    func breaker(ofClient type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        make(component, use(type)?.configuration ?? CircuitBreakerConfiguration(mode: .shadow))
    }

    /// The breaker of a context type; nil where it has no rule.
    func breaker(ofContext type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        use(type).flatMap { make(component, $0.configuration) }
    }

    /// The types that have a rule and have not been registered, in order.
    var unusedRules: [String] {
        let used = breakers.withLock { $0.usedRules }
        return rules.filter { !used.contains($0.key) }.map { "\($1.kind) \($1.type)" }.sorted()
    }

    private func use(_ type: any AnyObject.Type) -> BreakerRule? {
        guard let rule = rules[ObjectIdentifier(type)] else { return nil }
        breakers.withLock { _ = $0.usedRules.insert(ObjectIdentifier(type)) }
        return rule
    }

    /// Shows a breaker of the application's own on the page.
    func watch(_ breaker: CircuitBreaker) throws(TelemetryError) {
        let isKnown = breakers.withLock { breakers in
            if let known = breakers.all.first(where: { $0.name == breaker.name }) { return known === breaker }
            breakers.all.append(breaker)
            transitions.follow(breaker)
            return true
        }
        guard isKnown else { throw TelemetryError.twoBreakers(breaker.name) }
    }

    /// All breakers, in the order in which they came.
    var all: [CircuitBreaker] { breakers.withLock { $0.all } }

    /// The components that breakers guard, by the breaker's name; those that are watched guard none.
    var owners: [String: ComponentDescriptor] {
        let pairs = breakers.withLock { $0.ofComponents.map { ($1.name, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    func collect() -> [CollectedFamily] {
        var families = CircuitFamilies()
        // Each by its own clock: that of a watched one may be another.
        for breaker in all { families.add(breaker.summary()) }
        return families.all
    }

    /// The breaker of a component, the same each time. It has the component's name, or `name#2` and so on where the
    /// application watches one of that name.
    ///
    /// The configurations were checked, and a component's name is never empty: the breaker can be made.
    private func make(_ component: ComponentDescriptor, _ configuration: CircuitBreakerConfiguration) -> CircuitBreaker?
    {
        breakers.withLock { breakers in
            if let known = breakers.ofComponents[component] { return known }
            let name = ComponentNames.free(component.name, among: Set(breakers.all.map(\.name)))
            guard let breaker = try? CircuitBreaker(name: name, configuration, clock: clock) else { return nil }
            breakers.all.append(breaker)
            breakers.ofComponents[component] = breaker
            transitions.follow(breaker)
            return breaker
        }
    }
}
