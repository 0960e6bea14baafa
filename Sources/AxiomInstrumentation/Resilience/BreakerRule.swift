// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomResilience

/// The circuit breaker of one component type.
///
/// ```swift
/// let telemetry = try Telemetry(breakers: [
///     .client(PaymentClient.self, CircuitBreakerConfiguration(consecutiveFailures: 3)),
///     .context(CheckoutContext.self),
/// ])
/// ```
/// A client without a rule has a breaker in shadow mode, which counts but never refuses: a framework must not refuse
/// calls on its own initiative. A context without a rule has no breaker.
public struct BreakerRule: Sendable {
    let type: any AnyObject.Type
    let kind: ComponentKind
    let configuration: CircuitBreakerConfiguration
    /// The source file of the rule, for errors.
    let file: String
    let line: Int

    /// Guards every action of the client with a breaker. A call that the breaker refuses throws a `CircuitError`.
    public static func client<C: StatelessClient & Component>(
        _ type: C.Type,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        file: String = #fileID,
        line: Int = #line
    ) -> BreakerRule {
        BreakerRule(type: type, kind: .client, configuration: configuration, file: file, line: line)
    }

    /// Guards every action that is sent to contexts of this type with one shared breaker. A refused action is not
    /// handled, and a `CircuitError` is settled at the context's boundary.
    public static func context<C: Context>(
        _ type: C.Type,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        file: String = #fileID,
        line: Int = #line
    ) -> BreakerRule {
        BreakerRule(type: type, kind: .context, configuration: configuration, file: file, line: line)
    }

    var identifier: ObjectIdentifier { ObjectIdentifier(type) }
}
