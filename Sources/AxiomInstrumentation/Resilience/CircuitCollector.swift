// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
package import AxiomResilience
internal import OrderedCollections

/// The circuit breakers of an application: one for each client type, one for each context type with a rule, and those
/// that the application watches.
final class CircuitCollector: Collector {
    private struct Breakers {
        /// All breakers by name, in the order in which they were added.
        var all: OrderedDictionary<String, CircuitBreaker> = [:]
        /// The breakers of components. All others are watched and guard no component, whatever their names.
        var ofComponents: [ComponentDescriptor: CircuitBreaker] = [:]
    }

    /// The rules by type. Each has been checked by creating a breaker from it once.
    private let rules: [ObjectIdentifier: BreakerRule]
    private let clock: TimeSource
    private let detail: DetailLevel
    /// Guarded by its lock, which is taken when a component type is registered and at a scrape.
    private let breakers = Lock(Breakers())
    let transitions = TransitionLog()

    /// - Throws: ``TelemetryError`` if a configuration is invalid for a breaker, or a type has a second rule.
    init(_ rules: [BreakerRule], clock: TimeSource, detail: DetailLevel) throws(TelemetryError) {
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
        self.detail = detail
    }

    /// The breaker of a client type, in shadow mode if it has no rule; nil without a rule if nothing is recorded.
    ///
    /// - Parameter type: The type under which the client is registered; the rules use it too.
    func breaker(ofClient type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        if let rule = rules[ObjectIdentifier(type)] { return make(component, rule.configuration) }
        return BuildInfo.isInstrumented ? make(component, CircuitBreakerConfiguration(mode: .shadow)) : nil
    }

    /// The breaker of a context type; nil if it has no rule.
    func breaker(ofContext type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        rules[ObjectIdentifier(type)].flatMap { make(component, $0.configuration) }
    }

    /// Adds a breaker of the application to the page.
    func watch(_ breaker: CircuitBreaker) throws(TelemetryError) {
        let isKnown = breakers.withLock { breakers in
            if let known = breakers.all[breaker.name] { return known === breaker }
            breakers.all[breaker.name] = breaker
            transitions.follow(breaker)
            return true
        }
        guard isKnown else { throw TelemetryError.twoBreakers(breaker.name) }
    }

    /// All breakers, in the order in which they were added.
    var all: [CircuitBreaker] { breakers.withLock { $0.all.values.elements } }

    /// The guarded components by the breaker's name. Watched breakers guard none.
    var owners: [String: ComponentDescriptor] {
        let pairs = breakers.withLock { $0.ofComponents.map { ($1.name, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    func collect() -> [CollectedFamily] {
        var families = CircuitFamilies(detail)
        // Each by its own clock: a watched breaker may have a different one.
        for breaker in all { families.add(breaker.summary(), breaker.configuration) }
        return families.all
    }

    /// The breaker of a component, the same one each time. It has the component's name, or `name#2` and so on if the
    /// application watches a breaker of that name.
    ///
    /// The creation cannot fail: the configurations were checked, and a component's name is never empty.
    private func make(_ component: ComponentDescriptor, _ configuration: CircuitBreakerConfiguration) -> CircuitBreaker?
    {
        breakers.withLock { breakers in
            if let known = breakers.ofComponents[component] { return known }
            let name = ComponentNames.free(component.name) { breakers.all[$0] != nil }
            guard let breaker = try? CircuitBreaker(name: name, configuration, clock: clock) else { return nil }
            breakers.all[name] = breaker
            breakers.ofComponents[component] = breaker
            transitions.follow(breaker)
            return breaker
        }
    }
}

/// The latest transitions of all circuit breakers, for later diagnosis: 20 of each breaker.
package final class TransitionLog: Sendable {
    /// How many transitions of a breaker are kept.
    package static let capacity = 20

    private struct State {
        /// The transitions by the breaker's name, in order.
        var transitions: [String: [CircuitTransition]] = [:]
        var count: UInt64 = 0
    }

    /// Guarded by its lock, which is taken for each transition, outside every lock of a breaker.
    private let state = Lock(State())

    /// The transitions by the breaker's name, in order.
    package var transitions: [String: [CircuitTransition]] { state.withLock { $0.transitions } }

    /// The number of all transitions.
    package var count: UInt64 { state.withLock { $0.count } }

    func follow(_ breaker: CircuitBreaker) {
        breaker.onTransition { [weak self] in self?.add($0) }
    }

    private func add(_ transition: CircuitTransition) {
        state.withLock { state in
            state.count += 1
            state.transitions[transition.breaker, default: []].append(transition)
            let excess = (state.transitions[transition.breaker]?.count ?? 0) - Self.capacity
            if excess > 0 { state.transitions[transition.breaker]?.removeFirst(excess) }
        }
    }
}
