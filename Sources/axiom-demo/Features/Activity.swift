// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation

/// Something that a person did, for the shop's statistics.
struct ActivityEvent: Codable, Hashable, Sendable {
    let name: String
}

/// The actions of the shop's statistics.
enum ActivityAction: Action {
    case record(ActivityEvent)
}

/// The shop's statistics: reports to the server what people do. No screen shows them, so the client has no state.
///
/// An event that the server did not get is kept in storage, and the failure is thrown nevertheless. A task in the background
/// sends it later.
actor ActivityClient: StatelessClient, Component {
    private static let prefix = "unsent-activity/"

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any KeyValueStorage>
    private let tasks: CapabilityRef<BackgroundTasks>
    private let policy: Policy

    /// - Parameter policy: Protects each access to the storage, which may be slow or full for a moment.
    init(_ scope: borrowing ClientScope, policy: Policy) throws {
        identity = scope.identity
        self.policy = policy
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any KeyValueStorage).self)
        tasks = try scope.capability(BackgroundTasks.self)
    }

    func activate() async throws {
        try await tasks.call { tasks in
            try await tasks.schedule("unsent-activity", every: .seconds(2)) { [weak self] in try await self?.sendKept()
            }
        }
    }

    func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event): try await record(event)
        }
    }

    private func record(_ event: ActivityEvent) async throws {
        do {
            _ = try await network.call { try await $0.post("/events", [event], answer: Int.self) }
        } catch let error as NetworkError {
            // If storage fails too, the error of the network is the one to report.
            try? await keep(event)
            throw error
        }
    }

    private func keep(_ event: ActivityEvent) async throws {
        let key = StorageKey("\(Self.prefix)\(UUID())")
        let storage = storage
        try await policy.run { try await storage.call { try await $0.save(event, key) } }
    }

    /// Sends what is kept, 100 events at once. If the process ends before it is removed, it is sent again: the numbers may be
    /// too high by that.
    private func sendKept() async throws {
        let storage = storage
        let keys = try await policy.run { try await storage.call { try await $0.keys(prefix: Self.prefix) } }.prefix(
            100
        )
        guard !keys.isEmpty else { return }
        var events: [ActivityEvent] = []
        for key in keys {
            let event = try await storage.call { try await $0.load(ActivityEvent.self, key) }
            if let event { events.append(event) }
        }
        var request = NetworkRequest(method: "POST", path: "/events", body: try ShopJSON.encode(events))
        request.isBackground = true
        do {
            _ = try await network.call { [request] in try await $0.send(request) }
        } catch is NetworkError {
            // The next run tries again.
            return
        }
        try await storage.call { try await $0.transaction(keys.map { .remove($0) }) }
    }
}
