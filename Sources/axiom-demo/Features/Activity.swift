// SPDX-License-Identifier: Apache-2.0

internal import Axiom
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

/// The shop's statistics: reports to the server what people do.
///
/// Events that the server did not get are kept in storage, and the failure is thrown nevertheless. A task in the background
/// sends them later. The client has no state that a screen shows, so it is stateless.
actor ActivityClient: StatelessClient, Component {
    private static let prefix = "unsent-activity/"
    private static let task = "unsent-activity"
    /// How many events are sent at once; older ones are given up.
    private static let capacity = 100

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any KeyValueStorage>
    private let tasks: CapabilityRef<BackgroundTasks>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any KeyValueStorage).self)
        tasks = try scope.capability(BackgroundTasks.self)
    }

    func activate() async throws {
        try await tasks.call { tasks in
            try await tasks.schedule(Self.task, every: .seconds(2)) { [weak self] in try await self?.sendKept() }
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
        } catch let error as UpstreamError {
            // If storage fails too, the error of the network is the one to report.
            try? await keep(event)
            throw error
        }
    }

    private func keep(_ event: ActivityEvent) async throws {
        // The keys are in the order of the events.
        let milliseconds = Int(Date.now.timeIntervalSince1970 * 1_000)
        let key = StorageKey("\(Self.prefix)\(milliseconds)-\(UUID())")
        try await storage.call { try await $0.save(event, key) }
    }

    /// Sends what is kept. If the process ends before it is removed, it is sent again: the numbers may be too high by that.
    private func sendKept() async throws {
        let keys = try await storage.call { try await $0.keys(prefix: Self.prefix) }
        guard !keys.isEmpty else { return }
        var events: [ActivityEvent] = []
        for key in keys.suffix(Self.capacity) {
            let event = try await storage.call { try await $0.load(ActivityEvent.self, key) }
            if let event { events.append(event) }
        }
        var request = NetworkRequest(method: "POST", path: "/events", body: try JSON.encode(events))
        request.toleratesFailure = true
        do {
            _ = try await network.call { [request] in try await $0.send(request) }
        } catch is UpstreamError {
            // The next run tries again.
            return
        }
        try await storage.call { try await $0.transaction(keys.map { .remove($0) }) }
    }
}
