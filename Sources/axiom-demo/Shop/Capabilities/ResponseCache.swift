// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The last good answers of the shop's servers, kept in storage: shown when a server fails.
///
/// It depends on the network and on storage, which depend on nothing.
actor ResponseCache: Capability {
    /// An answer, fresh or kept.
    struct Answer: Sendable {
        let body: [UInt8]
        /// Why this is an old answer; nil for a fresh one.
        let failure: UpstreamError?

        var isStale: Bool { failure != nil }
    }

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing CapabilityScope, ledger: Ledger) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any Storage).self)
        ledger.singletons.created(Self.componentName, self)
    }

    /// The answer to a `GET`: a fresh one, which is kept, or else the one that was kept.
    ///
    /// - Throws: ``UpstreamError`` when there is neither; ``StorageError``; `CancellationError`.
    nonisolated func fetch(_ path: String) async throws -> Answer {
        let name = "cache" + path.replacing("/", with: "-") + ".json"
        do {
            let body = try await network.current().get(path)
            try await storage.current().update(name) { _ in body }
            return Answer(body: body, failure: nil)
        } catch let error as UpstreamError {
            // Storage that fails as well changes nothing: the error of the network is what is told.
            guard let kept = try? await storage.current().read(name) else { throw error }
            return Answer(body: kept, failure: error)
        }
    }
}
