// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The last good responses of the shop's server, kept in storage: shown when the server fails.
///
/// It depends on the network and on storage, which depend on nothing.
actor ResponseCache: Capability {
    /// A response, fresh or stale.
    struct Answer: Sendable {
        let body: [UInt8]
        /// Why the response is stale; nil if it is fresh.
        let failure: UpstreamError?

        var isStale: Bool { failure != nil }
    }

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any Storage).self)
    }

    /// The response to a `GET`: a fresh one, which is kept, or else the last one that was kept.
    ///
    /// - Throws: ``UpstreamError`` if there is neither; ``StorageError``; `CancellationError`.
    nonisolated func fetch(_ path: String) async throws -> Answer {
        let name = "cache" + path.replacing("/", with: "-") + ".json"
        do {
            let body = try await network.current().get(path)
            try await storage.current().update(name) { _ in body }
            return Answer(body: body, failure: nil)
        } catch let error as UpstreamError {
            // If storage fails too, the error of the network is the one to report.
            guard let kept = try? await storage.current().read(name) else { throw error }
            return Answer(body: kept, failure: error)
        }
    }
}
