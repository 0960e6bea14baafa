// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The counts of a ledger at one moment: the JSON of `--ledger` and of `GET /ledger`.
///
/// Four laws hold when nothing is in flight, whatever the circuit breakers do:
///
/// - `upstream.faults == errors + recovered + cancelled`: each fault that the server served has one fate. A refused call
///   sends no request, so its error has no fault.
/// - The sum of `rejected` over `clients` is `rejections.shown + rejections.recovered + rejections.cancelled`: each refused
///   call has one fate.
/// - The errors that ended at boundaries, `axiom_errors_total`, are `errors + rejections.shown`.
/// - Each order is applied exactly once, always under the same idempotency key: `orders.waiting`, `orders.doubled` and
///   `orders.rekeyed` are 0.
///
/// The first law requires that each error except refusals comes from a request: it holds while the disk works.
struct LedgerReport: Codable, Hashable, Sendable {
    /// The requests that the server received.
    struct Upstream: Codable, Hashable, Sendable {
        /// All requests.
        let requests: Int
        /// The requests that arrived while faults were on.
        let stormyRequests: Int
        /// The requests that were answered with a fault.
        let faults: Int

        private enum CodingKeys: String, CodingKey {
            case requests
            case stormyRequests = "stormy_requests"
            case faults
        }
    }

    /// What has begun and not ended. The true number of a component's ended actions lies between its outcomes and the
    /// sum of its outcomes and this.
    struct InFlight: Codable, Hashable, Sendable {
        let clients: [String: Int]
        let contexts: [String: Int]
        /// Faults whose request has no fate yet.
        let faults: Int
    }

    /// Ended calls of each client, by outcome.
    let clients: [String: Outcomes]
    /// Ended actions of each context, by outcome.
    let contexts: [String: Outcomes]
    /// Contexts that were created.
    let created: [String: Int]
    /// Contexts that are alive.
    let alive: [String: Int]
    let upstream: Upstream
    /// Errors that ended at the boundaries of contexts, without refusals.
    let errors: Int
    /// Faults that the application recovered from: by waiting, another attempt, or an old response.
    let recovered: Int
    /// Faults whose caller was cancelled.
    let cancelled: Int
    /// The fates of the calls that a circuit breaker refused.
    let rejections: RefusalTable.Counts
    let orders: OrderTable.Counts
    let inFlight: InFlight
    /// How often each presentation was mounted and unmounted.
    let mounts: [String: MountTable.Counts]
    /// Clients and capabilities.
    let singletons: [String: LifetimeTracker.Counts]

    private enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled, rejections, orders
        case inFlight = "in_flight"
        case mounts, singletons
    }

    /// The report as JSON with sorted keys and a line break at the end.
    ///
    /// - Throws: The encoder's error. The report has only values that JSON can express.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
