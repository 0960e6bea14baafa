// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The shop's statistics: tells the server what people do, and keeps for later what it could not tell. That it could
/// not is told as well. It has no state that anyone shows.
actor ActivityClient: StatelessClient, Component {
    private static let file = "untold-activity.json"
    /// The most events that are kept; the oldest give way.
    private static let capacity = 100

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any Storage).self)
        ledger.singletons.created(Self.componentName, self)
    }

    func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event): try await record(event)
        }
    }

    private func record(_ event: ActivityEvent) async throws {
        do {
            _ = try await network.current().post("/events", [event], answer: Int.self)
        } catch let error as UpstreamError {
            // Storage that fails as well changes nothing: the error of the network is what is told.
            try? await keep(event)
            throw error
        }
    }

    private func keep(_ event: ActivityEvent) async throws {
        try await storage.current().update(Self.file) { kept in
            let events = try kept.map { try JSON.decode([ActivityEvent].self, from: $0) } ?? []
            return try JSON.encode((events + [event]).suffix(Self.capacity))
        }
    }
}
