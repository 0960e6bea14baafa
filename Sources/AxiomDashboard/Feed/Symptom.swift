// SPDX-License-Identifier: Apache-2.0

/// What a finding says about the components that it is about.
enum Symptom: Sendable, Hashable {
    /// A component fails with errors of this code.
    case failing(code: String)
    /// A circuit breaker of the component is not closed.
    case circuit
    /// A circuit breaker of the component opens and closes again and again.
    case flapping
    /// A circuit breaker in shadow mode would be open.
    case shadowCircuit
    /// A circuit breaker refuses calls of the component.
    case refusing
    /// The component is slower than its budget or its baseline.
    case slow
    /// More calls of the component fail than in the hour before.
    case failingShare
    /// The component, a capability, does not work in full: because of itself, or of another one that it depends on.
    case degraded(isInherited: Bool)
    /// The calls of the first subject, a capability, by the others are repeated so often each, such as `7.1 times a call`.
    case repeated(String)
    /// The process has no processors for its threads.
    case starved
    /// The main actor was held.
    case held
    /// Something that is not caused by other components.
    case other

    var isCircuit: Bool { isOpen || self == .shadowCircuit }
    /// Whether a circuit breaker refuses calls, now or again and again.
    var isOpen: Bool { self == .circuit || self == .flapping }

    /// How often each call is repeated.
    var repeats: String? { if case .repeated(let times) = self { times } else { nil } }
}
