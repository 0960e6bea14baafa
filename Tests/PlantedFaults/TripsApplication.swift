// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomResilience
import Foundation
import Observation

/// A screen of the application Trips, with a client of its own.
@MainActor
protocol TripContext: Context where ActionType == TripAction, Input == Void {
    associatedtype StateType: TripState
    nonisolated static var part: String { get }
    var client: any Client<StateType, TripAction> { get }
}

extension TripContext {
    func handle(_ action: TripAction) async throws {
        if action == .save, has(.blockedMainActor, Self.part) {
            let end = TimeSource.live.now.advanced(by: .milliseconds(260))
            while TimeSource.live.now < end {}
        }
        guard action == .refresh else { return try await client.process(action) }
        let client = client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<30 { group.addTask { try await client.process(.refresh) } }
            try await group.waitForAll()
        }
    }
}

@MainActor
@Observable
final class SearchContext: TripContext {
    nonisolated static let part = "Search"
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<SearchState, TripAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(SearchClient.self)
    }
}

@MainActor
@Observable
final class PlanContext: TripContext {
    nonisolated static let part = "Plan"
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<PlanState, TripAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(PlanClient.self)
    }
}

@MainActor
@Observable
final class BookingContext: TripContext {
    nonisolated static let part = "Booking"
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<BookingState, TripAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(BookingClient.self)
    }
}

struct TripView<C: TripContext>: Presentation {
    let context: C
    var body: String { "trip" }
}

/// The application Trips: three screens with a client each, and four capabilities, of which the gateway needs the vault.
@MainActor
final class TripsApplication {
    private let telemetry: Telemetry
    private let orchestrator: Orchestrator
    /// What is not released.
    private var leaked: [any TripContext] = []

    /// - Parameter fault: Only a fault of breakers has breakers.
    init(_ fault: TripFault) throws {
        let breaker = CircuitBreakerConfiguration(
            failureRateThreshold: nil,
            consecutiveFailures: 3,
            openDuration: .seconds(1),
            openDurationGrowth: 1
        )
        let rules: [BreakerRule] = [
            .client(SearchClient.self, breaker), .client(PlanClient.self, breaker),
            .client(BookingClient.self, breaker),
        ]
        telemetry = try Telemetry(breakers: fault == .flappingBreaker ? rules : [])
        orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(Vault.self) { Vault($0) }
        orchestrator.register(Gateway.self) { try Gateway($0) }
        orchestrator.register(Database.self) { Database($0) }
        orchestrator.register(Compass.self, requirement: .optional) { Compass($0) }
        orchestrator.register(SearchClient.self) { try SearchClient($0) }
        orchestrator.register(PlanClient.self) { try PlanClient($0) }
        orchestrator.register(BookingClient.self) { try BookingClient($0) }
        orchestrator.register(SearchContext.self) { try SearchContext($0) }
        orchestrator.register(PlanContext.self) { try PlanContext($0) }
        orchestrator.register(BookingContext.self) { try BookingContext($0) }
    }

    /// Serves the dashboard, prints its address and works. The fault comes after 10 s.
    func run(_ fault: TripFault, seed: UInt) async throws {
        let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        try await orchestrator.start()
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(exporter.port ?? 0)/\n".utf8))
        let parts = ["Search", "Plan", "Booking"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.use(SearchContext.self, fault) }
            group.addTask { try await self.use(PlanContext.self, fault) }
            group.addTask { try await self.use(BookingContext.self, fault) }
            try await TimeSource.live.sleep(for: .seconds(10))
            tripPlan.withLock { ($0.fault, $0.culprit) = (fault, parts[Int(seed % 3)]) }
            try await group.waitForAll()
        }
    }

    /// One screen is loaded ten times a second, saved every two seconds and refreshed every three; another one of its type is
    /// opened and closed every two seconds.
    private func use<C: TripContext>(_ type: C.Type, _ fault: TripFault) async throws {
        let host = PresentationHost(TripView<C>.self, orchestrator) { _ in }
        try await host.mount()
        for step in 1... {
            await host.context?.send(.load)
            if step.isMultiple(of: 20) {
                await host.context?.send(.save)
                try await visit(type)
            }
            if step.isMultiple(of: 30) { await host.context?.send(.refresh) }
            try await TimeSource.live.sleep(for: fault == .idle ? .seconds(10) : .milliseconds(100))
        }
    }

    private func visit<C: TripContext>(_: C.Type) async throws {
        let visit = PresentationHost(TripView<C>.self, orchestrator) { _ in }
        try await visit.mount()
        if has(.leak, C.part), let context = visit.context { leaked.append(context) }
        await visit.unmount()
    }
}
