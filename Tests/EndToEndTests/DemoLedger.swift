// SPDX-License-Identifier: Apache-2.0

/// The counts that the demo keeps itself, without Axiom.
struct DemoLedger: Decodable {
    struct Upstream: Decodable {
        let requests: Double
        let stormyRequests: Double
        let faults: Double

        enum CodingKeys: String, CodingKey {
            case requests, faults
            case stormyRequests = "stormy_requests"
        }
    }

    struct Rejections: Decodable {
        let shown: Double
        let recovered: Double
        let cancelled: Double
    }

    struct Presence: Decodable {
        let created: Double
        let alive: Double
    }

    struct InFlight: Decodable {
        let clients: [String: Double]
        let contexts: [String: Double]
        let faults: Double
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
    let rejections: Rejections
    let inFlight: InFlight
    /// Clients and capabilities.
    let singletons: [String: Presence]

    enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled, rejections, singletons
        case inFlight = "in_flight"
    }

    /// Errors that ended at the boundaries of contexts.
    var ended: Double { errors + rejections.shown }

    /// Errors whose fate the ledger does not know yet: of requests with a fault, and of refused calls.
    var unsettled: Double {
        let refused = clients.values.reduce(0) { $0 + $1["rejected", default: 0] }
        return inFlight.faults + refused - rejections.shown - rejections.recovered - rejections.cancelled
    }

    /// The calls of a client that have begun.
    func calls(of client: String) -> Double { endedCalls(of: client) + inFlight.clients[client, default: 0] }

    /// The calls of a client that have ended.
    func endedCalls(of client: String) -> Double { clients[client, default: [:]].values.reduce(0, +) }
}
