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

/// The shop's statistics: reports to the server what people do. No screen shows them, so the client has no state. An event
/// that the server does not get is missing in them.
actor ActivityClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
    }

    func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event):
            _ = try await network.call { try await $0.post("/events", [event], answer: Int.self) }
        }
    }
}
