// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// A storage that is a capability: each call goes through the reference, which follows a replacement of the capability.
struct CapabilityStorage<Registered: Sendable>: KeyValueStorage, StorageReference {
    private let capability: CapabilityRef<Registered>
    private let storage: @Sendable (Registered) -> any KeyValueStorage

    init(_ capability: CapabilityRef<Registered>) where Registered: KeyValueStorage {
        self.capability = capability
        storage = { $0 }
    }

    /// A capability that is registered as `(any KeyValueStorage).self`.
    init(_ capability: CapabilityRef<Registered>) where Registered == any KeyValueStorage {
        self.capability = capability
        storage = { $0 }
    }

    var target: (any KeyValueStorage)? { (try? capability.current()).map(storage) }

    func data(_ key: StorageKey) async throws -> Data? {
        try await capability.call { try await storage($0).data(key) }
    }

    func keys(prefix: String) async throws -> [StorageKey] {
        try await capability.call { try await storage($0).keys(prefix: prefix) }
    }

    func transaction(_ changes: [StorageChange]) async throws {
        try await capability.call { try await storage($0).transaction(changes) }
    }

    func moveAside(_ key: StorageKey, to target: StorageKey) async throws {
        try await capability.call { try await storage($0).moveAside(key, to: target) }
    }
}
