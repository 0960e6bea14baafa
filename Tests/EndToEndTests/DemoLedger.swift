// SPDX-License-Identifier: Apache-2.0

/// The books that the demo keeps of itself, without Axiom.
struct DemoLedger: Decodable {
    struct Upstream: Decodable {
        let requests: Double
        let faults: Double
    }

    struct Presence: Decodable {
        let created: Double
        let alive: Double
    }

    struct InFlight: Decodable {
        let clients: [String: Double]
        let contexts: [String: Double]
    }

    /// By name, then by outcome.
    let clients: [String: [String: Double]]
    let contexts: [String: [String: Double]]
    let created: [String: Double]
    let alive: [String: Double]
    let upstream: Upstream
    let errors: Double
    let recovered: Double
    let cancelled: Double
    let inFlight: InFlight
    /// Clients and capabilities.
    let singletons: [String: Presence]

    enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled, singletons
        case inFlight = "in_flight"
    }
}
