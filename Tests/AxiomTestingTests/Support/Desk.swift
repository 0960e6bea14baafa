// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTesting
import Foundation
import Observation

// A desk of the shop, with values whose difference reflection does not show, with two properties of one type, and with two optionals.

final class Clerk: Equatable, Sendable {
    let name: String

    init(_ name: String) { self.name = name }

    static func == (left: Clerk, right: Clerk) -> Bool { left.name == right.name }
}

struct Shift: Equatable {
    let clerk: Clerk
}

enum DeskAction: Action {
    case save(Date)
    case seal(Data)
    case give(String)
    case add(Tea)
    case load
}

@MainActor
@Observable
final class DeskContext: Context {
    nonisolated let identity: ComponentIdentity
    private let client: any Client<TeaState, TeaAction>
    var savedAt = Date(timeIntervalSince1970: 0)
    var paper = Data([1, 2, 3, 4, 5])
    var shift = Shift(clerk: Clerk("Ada"))
    var weight = Double.nan
    var readings: [String: [Double?]] = ["tea": [.nan]]
    var failure: String?
    var selection: Tea?
    var isEmpty = true
    var isOpen = false

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(TeaClient.self)
    }

    func onAppear() async throws {
        observe(client) { $0.isEmpty = $1.teas.isEmpty }
    }

    func handle(_ action: DeskAction) async throws {
        switch action {
        case .save(let date): savedAt = date
        case .seal(let data): paper = data
        case .give(let name): shift = Shift(clerk: Clerk(name))
        case .add(let tea): try await client.process(.add(tea))
        case .load: try await client.process(.load)
        }
    }
}

extension TestOrchestrator {
    /// The shop with a desk. Its service has no tea.
    @MainActor
    static func desk(_ exhaustivity: Exhaustivity = .on) async throws -> TestContext<DeskContext> {
        let (app, service) = teaShop(exhaustivity)
        service.on("teas", answer: [Tea]())
        app.orchestrator.register(DeskContext.self) { try DeskContext($0) }
        return try await app.context(DeskContext.self)
    }
}
