// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// Calls each client once for each action, by a screen of its own.
@MainActor
@Observable
final class CatalogContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let catalog: any StatelessClient<Work>
    @ObservationIgnored private let order: any StatelessClient<Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        catalog = try scope.client(CatalogClient.self)
        order = try scope.client(OrderClient.self)
    }

    func handle(_ action: Work) async throws {
        try await recorded("CatalogContext.run") {
            try await catalog.process(.run)
            try await order.process(.run)
        }
    }
}

@MainActor
@Observable
final class DeskContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let note: any StatelessClient<Work>
    @ObservationIgnored private let draft: any StatelessClient<Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        note = try scope.client(NoteClient.self)
        draft = try scope.client(DraftClient.self)
    }

    func handle(_ action: Work) async throws {
        async let first: Void = note.process(.run)
        async let second: Void = draft.process(.run)
        _ = try await (first, second)
    }
}

@MainActor
@Observable
final class MapContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let map: any StatelessClient<Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        map = try scope.client(MapClient.self)
    }

    func handle(_ action: Work) async throws { try await map.process(.run) }
}

@MainActor
@Observable
final class PaymentContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let payment: any StatelessClient<Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        payment = try scope.client(PaymentClient.self)
    }

    func handle(_ action: Work) async throws { try await payment.process(.run) }
}

@MainActor
@Observable
final class CounterContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let counter: any Client<CounterState, Work>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        counter = try scope.client(CounterClient.self)
    }

    func handle(_ action: Work) async throws { try await counter.process(.run) }
}

/// Computes on the main actor.
@MainActor
@Observable
final class ReportContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: Work) async throws {
        guard planted.withLock({ $0 }) == .mainActorHang else { return }
        let end = TimeSource.live.now.advanced(by: .milliseconds(400))
        while TimeSource.live.now < end {}
    }
}

/// A screen that is opened and closed again.
@MainActor
@Observable
final class DialogContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }
}

struct DialogView: Presentation {
    let context: DialogContext
    var body: String { "dialog" }
}

/// All screens but the dialog.
@MainActor
@Observable
final class RootContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let screens: [any WorkScreen]

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        screens = [
            try scope.context(CatalogContext.self), try scope.context(DeskContext.self),
            try scope.context(MapContext.self), try scope.context(PaymentContext.self),
            try scope.context(CounterContext.self), try scope.context(ReportContext.self),
        ]
    }
}

/// A screen that handles ``Work``.
@MainActor
protocol WorkScreen: Context where ActionType == Work {}

extension CatalogContext: WorkScreen {}
extension DeskContext: WorkScreen {}
extension MapContext: WorkScreen {}
extension PaymentContext: WorkScreen {}
extension CounterContext: WorkScreen {}
extension ReportContext: WorkScreen {}

struct RootView: Presentation {
    let context: RootContext
    var body: String { "root" }
}
