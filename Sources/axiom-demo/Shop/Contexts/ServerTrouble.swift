// SPDX-License-Identifier: Apache-2.0

internal import Axiom

extension CircuitError: Refusal {}

extension Error {
    /// Whether the servers did not do what was asked: because they failed, or because they were not asked.
    var isOfServers: Bool { self is UpstreamError || self is CircuitError }
}
