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
/// Clients that have no rule are behind a breaker in shadow mode, which counts and never refuses: a framework must not
/// begin to refuse calls by itself. Contexts that have no rule have no breaker.
public struct BreakerRule: Sendable {
    let type: any AnyObject.Type
    let kind: ComponentKind
    let configuration: CircuitBreakerConfiguration
    /// Where the rule is made, for errors.
    let file: String
    let line: Int

    /// Every action of the client goes through a breaker: that of a call that is refused throws a `CircuitError`.
    public static func client<C: StatelessClient & Component>(
        _ type: C.Type,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        file: String = #fileID,
        line: Int = #line
    ) -> BreakerRule {
        BreakerRule(type: type, kind: .client, configuration: configuration, file: file, line: line)
    }

    /// Every action that is sent to a context of this type goes through a breaker, which all of them share: one that
    /// is refused is not handled, and a `CircuitError` is settled at the context's boundary.
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
