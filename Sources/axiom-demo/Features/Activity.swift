// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Something that a person did, for the shop's statistics.
struct ActivityEvent: Codable, Hashable, Sendable {
    let name: String
}

/// The actions of the shop's statistics.
enum ActivityAction: Action {
    case record(ActivityEvent)
}

/// The shop's statistics: reports to the server what people do.
///
/// Events that the server did not get are kept in storage, and the failure is thrown nevertheless. The client has no
/// state that a screen shows, so it is stateless.
actor ActivityClient: StatelessClient, Component {
    private static let file = "unsent-activity.json"
    /// The number of events that are kept; the oldest are removed.
    private static let capacity = 100

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any Storage).self)
    }

    func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event): try await record(event)
        }
    }

    private func record(_ event: ActivityEvent) async throws {
        do {
            _ = try await network.call { try await $0.post("/events", [event], answer: Int.self) }
        } catch let error as UpstreamError {
            // If storage fails too, the error of the network is the one to report.
            try? await keep(event)
            throw error
        }
    }

    private func keep(_ event: ActivityEvent) async throws {
        try await storage.call {
            try await $0.update(Self.file) { kept in
                let events = try kept.map { try JSON.decode([ActivityEvent].self, from: $0) } ?? []
                return try JSON.encode((events + [event]).suffix(Self.capacity))
            }
        }
    }
}
