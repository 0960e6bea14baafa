// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomStorage
import Foundation

/// The faults of the application Trips, which has the defaults of the library and no rules for budgets. A seed chooses the
/// client or the context that has the fault.
enum TripFault: String, CaseIterable {
    /// No fault: under load, and with an action each ten seconds.
    case none, idle
    case slowQuery = "slow-query"
    case flappingBreaker = "flapping-breaker"
    case leak
    case retryStorm = "retry-storm"
    case unavailable
    case stampede
    case blockedMainActor = "blocked-main-actor"
    case deepCause = "deep-cause"
    case growingState = "growing-state"
}

/// The fault of this process.
struct TripPlan {
    var fault = TripFault.none
    /// `Search`, `Plan` or `Booking`.
    var culprit = ""
    /// When the fault had its first effect, in seconds since 1970.
    var began: Double?
}

let tripPlan = Lock(TripPlan())

/// Whether a part of the application has this fault. The first time, it writes the part and the time to standard output, in
/// seconds since 1970.
func has(_ fault: TripFault, _ part: String) -> Bool {
    let now = Date().timeIntervalSince1970
    let (isFaulty, isFirst) = tripPlan.withLock { plan in
        let isFaulty = plan.fault == fault && plan.culprit == part
        let isFirst = isFaulty && plan.began == nil
        if isFirst { plan.began = now }
        return (isFaulty, isFirst)
    }
    if isFirst { FileHandle.standardOutput.write(Data("\(part) \(now)\n".utf8)) }
    return isFaulty
}

struct TripError: AxiomError {
    let code: ErrorCode
    let message: String
    var cause: (any Error)?
    var recoverySuggestion: String { "Try again later." }
}

private func pause(_ milliseconds: Int) async throws {
    try await TimeSource.live.sleep(for: .milliseconds(milliseconds))
}

// MARK: - Capabilities

actor Vault: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    static func recovery(for error: any Error) -> CapabilityRecovery {
        (error as? TripError)?.code == "TRIPS_VAULT_BUSY" ? .retry(attempts: 8, backoff: .none) : .propagate
    }

    func key(for part: String) throws {
        if has(.retryStorm, part) { throw TripError(code: "TRIPS_VAULT_BUSY", message: "The vault is busy.") }
        if has(.deepCause, part) { throw TripError(code: "TRIPS_VAULT_KEY", message: "The key has expired.") }
    }
}

actor Gateway: Capability {
    nonisolated let identity: ComponentIdentity
    private let vault: CapabilityRef<Vault>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        vault = try scope.capability(Vault.self)
    }

    func send(for part: String) async throws {
        do {
            try await vault.call { try await $0.key(for: part) }
        } catch {
            throw TripError(code: "TRIPS_GATEWAY_401", message: "The gateway refuses the call.", cause: error)
        }
    }
}

actor Database: Capability {
    nonisolated let identity: ComponentIdentity
    private var latest: Task<Void, any Error>?
    private var slowQueries = 0

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func query(for part: String) async throws {
        guard has(.slowQuery, part) else { return try await pause(1) }
        slowQueries += 1
        // 300 to 600 ms.
        try await pause(300 + slowQueries * 97 % 301)
    }

    /// Loads the routes, for one caller after the other.
    func routes() async throws -> Int {
        let before = latest
        let own = Task {
            _ = await before?.result
            try await pause(15)
        }
        latest = own
        try await own.value
        return 1
    }
}

actor Compass: Capability {
    nonisolated let identity: ComponentIdentity
    private let status: CapabilityStatus

    init(_ scope: borrowing CapabilityScope) { (identity, status) = (scope.identity, scope.status) }

    func point(for part: String) {
        guard has(.unavailable, part) else { return }
        status.report(.unavailable, because: "the location service was switched off")
    }
}

// MARK: - Clients

enum TripAction: Action {
    case load, save, refresh
}

protocol TripState: OwnedState {
    init()
    var notes: [String] { get set }
}

struct SearchState: TripState {
    var notes: [String] = []
}

struct PlanState: TripState {
    var notes: [String] = []
}

struct BookingState: TripState {
    var notes: [String] = []
}

/// What each client has.
struct TripParts<State: TripState>: Sendable {
    let name: String
    let store: StateStore<State>
    let gateway: CapabilityRef<Gateway>
    let database: CapabilityRef<Database>
    let compass: CapabilityRef<Compass>
    let routes: Cache<String, Int>

    init(_ name: String, _ scope: borrowing ClientScope) throws {
        self.name = name
        store = scope.store(State())
        gateway = try scope.capability(Gateway.self)
        database = try scope.capability(Database.self)
        compass = try scope.capability(Compass.self)
        let limits = CacheLimits(lifetime: .seconds(2))
        routes = try Cache("\(name.lowercased())-routes", limits: limits, component: scope.identity)
    }
}

protocol TripClient: Client where StateType: TripState, ActionType == TripAction {
    nonisolated var parts: TripParts<StateType> { get }
}

extension TripClient {
    var state: StateType { parts.store.state }
    nonisolated var stateStream: StateStream<StateType> { parts.store.stream }

    func process(_ action: TripAction) async throws {
        let name = parts.name
        if action == .refresh { return try await refresh() }
        if has(.flappingBreaker, name), isFailing { throw TripError(code: "TRIPS_FAILED", message: "No trips.") }
        do {
            try await parts.gateway.call { try await $0.send(for: name) }
        } catch {
            throw TripError(code: "TRIPS_FAILED", message: "No trips.", cause: error)
        }
        try await parts.database.call { try await $0.query(for: name) }
        try? await parts.compass.call { await $0.point(for: name) }
        // About 6 kB a second.
        if has(.growingState, name) { parts.store.update { $0.notes.append(String(repeating: "n", count: 620)) } }
    }

    /// Calls fail in the first of each six seconds: the breaker opens and closes again.
    private var isFailing: Bool {
        let began = tripPlan.withLock { $0.began } ?? 0
        return (Date().timeIntervalSince1970 - began).truncatingRemainder(dividingBy: 6) < 1
    }

    /// The callers that miss the routes at the same time each load them.
    private func refresh() async throws {
        guard has(.stampede, parts.name), parts.routes.value(for: "all") == nil else { return }
        let routes = try await parts.database.call { try await $0.routes() }
        parts.routes.store(routes, for: "all")
    }
}

actor SearchClient: TripClient, Component {
    typealias StateType = SearchState

    nonisolated let identity: ComponentIdentity
    nonisolated let parts: TripParts<SearchState>

    init(_ scope: borrowing ClientScope) throws {
        (identity, parts) = (scope.identity, try TripParts("Search", scope))
    }
}

actor PlanClient: TripClient, Component {
    typealias StateType = PlanState

    nonisolated let identity: ComponentIdentity
    nonisolated let parts: TripParts<PlanState>

    init(_ scope: borrowing ClientScope) throws {
        (identity, parts) = (scope.identity, try TripParts("Plan", scope))
    }
}

actor BookingClient: TripClient, Component {
    typealias StateType = BookingState

    nonisolated let identity: ComponentIdentity
    nonisolated let parts: TripParts<BookingState>

    init(_ scope: borrowing ClientScope) throws {
        (identity, parts) = (scope.identity, try TripParts("Booking", scope))
    }
}
