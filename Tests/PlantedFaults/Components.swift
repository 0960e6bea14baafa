// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// A fault of the application, to be found on its dashboard.
enum PlantedFault: String, CaseIterable {
    case none
    case slowUpstream = "slow-upstream"
    case failingStorage = "failing-storage"
    case openBreaker = "open-breaker"
    case leak
    case mainActorHang = "main-actor-hang"
    case reentrantUpdate = "reentrant-update"
    case lostCapability = "lost-capability"
    case regression
}

/// The fault of this process. Set before the application starts, and by the recording that a regression is judged against.
let planted = Lock(PlantedFault.none)

/// The action of all clients and contexts.
enum Work: Action {
    case run
}

struct ArchiveError: AxiomError {
    var code: ErrorCode { "ARCHIVE_FULL" }
    var message: String { "The archive /var/archive has no space left." }
    var recoverySuggestion: String { "Delete old records." }
}

struct PaymentRefused: AxiomError {
    var code: ErrorCode { "PAYMENT_REFUSED" }
    var message: String { "The bank refuses the connection." }
    var recoverySuggestion: String { "Ask the bank." }
}

// MARK: - Capabilities

actor Upstream: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func fetch() async throws {
        switch planted.withLock({ $0 }) {
        case .slowUpstream: try await TimeSource.live.sleep(for: .milliseconds(300))
        case .regression: try await TimeSource.live.sleep(for: .milliseconds(40))
        // What takes no time has durations that follow the load of the machine, and nothing else.
        default: try await TimeSource.live.sleep(for: .milliseconds(4))
        }
    }
}

actor Archive: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func save() throws {
        if planted.withLock({ $0 }) == .failingStorage { throw ArchiveError() }
    }
}

/// Loses its service when the fault says so: then its replacement cannot be initialised.
actor Locator: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func initialize() async throws {
        if planted.withLock({ $0 }) == .lostCapability {
            throw CapabilityError.unavailable("Locator", because: "the positioning service went away")
        }
    }

    func locate() -> Int { 1 }
}

// MARK: - Clients

actor CatalogClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let upstream: CapabilityRef<Upstream>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        upstream = try scope.capability(Upstream.self)
    }

    func process(_ action: Work) async throws {
        try await recorded("CatalogClient.run") { try await upstream.call { try await $0.fetch() } }
    }
}

actor OrderClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let upstream: CapabilityRef<Upstream>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        upstream = try scope.capability(Upstream.self)
    }

    func process(_ action: Work) async throws {
        try await recorded("OrderClient.run") { try await upstream.call { try await $0.fetch() } }
    }
}

actor NoteClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let archive: CapabilityRef<Archive>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        archive = try scope.capability(Archive.self)
    }

    func process(_ action: Work) async throws { try await archive.call { try await $0.save() } }
}

actor DraftClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let archive: CapabilityRef<Archive>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        archive = try scope.capability(Archive.self)
    }

    func process(_ action: Work) async throws { try await archive.call { try await $0.save() } }
}

actor MapClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let locator: CapabilityRef<Locator>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        locator = try scope.capability(Locator.self)
    }

    func process(_ action: Work) async throws { _ = try await locator.call { await $0.locate() } }
}

actor PaymentClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: Work) async throws {
        if planted.withLock({ $0 }) == .openBreaker { throw PaymentRefused() }
    }
}

struct CounterState: OwnedState {
    var count = 0
}

actor CounterClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private nonisolated let store: StateStore<CounterState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(CounterState())
    }

    var state: CounterState { store.state }
    nonisolated var stateStream: StateStream<CounterState> { store.stream }

    func process(_ action: Work) async throws {
        let isReentrant = planted.withLock { $0 } == .reentrantUpdate
        store.update { state in
            state.count += 1
            if isReentrant { store.update { $0.count += 10 } }
        }
    }
}
