// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The ledger at one moment, as it is written and served.
///
/// Three laws hold when nothing is in flight, whatever the breakers did:
///
/// - `upstream.faults == errors + recovered + cancelled`: a fault that was really served ends in one way. A call that a
///   breaker refused is no request, so that no fault stands behind its error.
/// - The sum of `rejected` over `clients` is `rejections.shown + rejections.recovered + rejections.cancelled`: so does a
///   call that was refused.
/// - The errors that ended at boundaries, `axiom_errors_total`, are `errors + rejections.shown`.
///
/// The first needs that every error but a refusal comes from a request, which is so while the disk works.
struct LedgerReport: Codable, Hashable, Sendable {
    struct Upstream: Codable, Hashable, Sendable {
        /// Requests that arrived, with or without a fault.
        let requests: Int
        /// Those of them that arrived while faults were on.
        let stormyRequests: Int
        /// Requests that met a fault.
        let faults: Int

        private enum CodingKeys: String, CodingKey {
            case requests
            case stormyRequests = "stormy_requests"
            case faults
        }
    }

    struct InFlight: Codable, Hashable, Sendable {
        let clients: [String: Int]
        let contexts: [String: Int]
        /// Faults whose request has not ended yet.
        let faults: Int
    }

    struct Presence: Codable, Hashable, Sendable {
        let created: Int
        let alive: Int
    }

    /// Calls of each client that ended, by outcome.
    let clients: [String: Outcomes]
    /// Actions of each context that ended, by outcome.
    let contexts: [String: Outcomes]
    /// Contexts that were made.
    let created: [String: Int]
    /// Contexts that live.
    let alive: [String: Int]
    let upstream: Upstream
    /// Errors that ended at the boundaries of contexts, without those of refused calls.
    let errors: Int
    /// Faults that the application made good: by waiting, another attempt, a kept answer, a note for later.
    let recovered: Int
    /// Faults that nobody waited for any longer.
    let cancelled: Int
    /// Calls of clients that a circuit breaker refused, by what became of them.
    let rejections: RefusalBook.Counts
    /// What has begun and not ended. The true number of a party's finished actions lies between its outcomes and
    /// their sum with this.
    let inFlight: InFlight
    /// How often each presentation was mounted and unmounted.
    let mounts: [String: MountBook.Page]
    /// Clients and capabilities.
    let singletons: [String: Presence]

    private enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled, rejections
        case inFlight = "in_flight"
        case mounts, singletons
    }

    /// The report as JSON with sorted keys, ended by a line break.
    ///
    /// - Throws: What the encoder throws; it has no reason to.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
