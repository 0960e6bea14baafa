// SPDX-License-Identifier: Apache-2.0

import Axiom

/// What a ``LifeClient`` is to do; a test decides what that means.
struct LifeAction: Action {
    let run: @Sendable () async throws -> Void

    init(_ run: @escaping @Sendable () async throws -> Void) {
        self.run = run
    }
}

/// A client whose life a test writes.
actor LifeClient: StatelessClient, Component {
    struct Script: Sendable {
        var activate: @Sendable () async throws -> Void = {}
        var deactivate: @Sendable () async -> Void = {}
    }

    nonisolated let identity: ComponentIdentity
    private let script: Script

    init(_ scope: borrowing ClientScope, _ script: Script) {
        identity = scope.identity
        self.script = script
    }

    func process(_ action: LifeAction) async throws { try await action.run() }
    func activate() async throws { try await script.activate() }
    func deactivate() async { await script.deactivate() }
}

extension Orchestrator {
    func register(_ script: LifeClient.Script) {
        register(LifeClient.self) { LifeClient($0, script) }
    }
}
