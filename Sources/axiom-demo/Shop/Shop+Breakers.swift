// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomResilience

extension Shop {
    /// The circuit breakers of the clients that ask the shop's servers. The cart does not: its breaker only counts.
    nonisolated static let breakers: [BreakerRule] = [
        .client(ProfileClient.self, breaker),
        .client(NotificationClient.self, breaker),
        .client(UserClient.self, breaker),
        .client(PricingClient.self, breaker),
        .client(PaymentClient.self, breaker),
        .client(ActivityClient.self, breaker),
    ]

    /// Servers that fail one call in ten are given a rest: of 1.5 s, then 3, then 4, until five calls in a row succeed.
    /// A part of what a client does needs no server and always succeeds, hence the low threshold; a demo is looked at
    /// for a minute, hence the short times.
    private nonisolated static let breaker = CircuitBreakerConfiguration(
        window: .time(.seconds(2)),
        minimumCalls: 4,
        failureRateThreshold: 0.1,
        openDuration: .milliseconds(1_500),
        openDurationGrowth: 2,
        openDurationCap: .seconds(4),
        halfOpenPermits: 5,
        halfOpenTimeLimit: .seconds(3)
    )
}
