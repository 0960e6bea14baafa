// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation

/// Whether circuit breakers refuse calls.
enum BreakerMode: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    /// Those of the clients that ask the shop's servers do.
    case on
    /// None does: they only count, and tell what they would have done.
    case off

    /// What the telemetry is told.
    var rules: [BreakerRule] {
        switch self {
        case .on: Shop.breakers
        case .off: []
        }
    }
}
