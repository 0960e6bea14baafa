// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The ledger at one moment, as it is written and served.
struct LedgerReport: Codable, Hashable, Sendable {
    struct Upstream: Codable, Hashable, Sendable {
        /// Requests that arrived, with or without a fault.
        let requests: Int
        /// Requests that met a fault.
        let faults: Int
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
    /// Errors that ended at the boundaries of contexts: `upstream.faults == errors + recovered + cancelled` when
    /// nothing is in flight.
    let errors: Int
    /// Faults that the application made good: by waiting, another attempt, a kept answer, a note for later.
    let recovered: Int
    /// Faults that nobody waited for any longer.
    let cancelled: Int
    /// What has begun and not ended. The true number of a party's finished actions lies between its outcomes and
    /// their sum with this.
    let inFlight: InFlight
    /// How often each presentation was mounted and unmounted.
    let mounts: [String: MountBook.Page]
    /// Clients and capabilities.
    let singletons: [String: Presence]

    private enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled
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
