// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import axiom_demo

@Suite("The ledger")
@MainActor
struct LedgerTests {
    private final class Member: Sendable {}
    private struct Broken: Error {}

    private func ledger() -> Ledger {
        Ledger(clients: ["CartClient"], contexts: ["CartContext"], capabilities: ["FileStorage"])
    }

    @Test("An action is in flight until it ends, and ends in one outcome that its error decides")
    func outcomes() async {
        let ledger = ledger()
        try? await ledger.clients.enter("CartClient") {
            #expect(ledger.report.inFlight.clients == ["CartClient": 1])
        }
        try? await ledger.clients.enter("CartClient") { throw Broken() }
        try? await ledger.clients.enter("CartClient") { throw CancellationError() }
        #expect(ledger.report.clients == ["CartClient": Outcomes(success: 1, failure: 1, cancelled: 1, rejected: 0)])
        #expect(ledger.report.inFlight.clients == ["CartClient": 0])
    }

    @Test("An error at a boundary is counted once, and what was called off is none")
    func errors() async {
        let ledger = ledger()
        try? await ledger.action(of: "CartContext") { throw Broken() }
        try? await ledger.phase { throw Broken() }
        try? await ledger.action(of: "CartContext") { throw CancellationError() }
        #expect(ledger.report.errors == 2)
        #expect(ledger.report.contexts["CartContext"] == Outcomes(success: 0, failure: 1, cancelled: 1, rejected: 0))
    }

    @Test("The dead are counted as made and not as alive, however many there are")
    func roll() {
        let roll = Roll(parties: ["CartContext"])
        var kept: [Member] = []
        for index in 0..<1_000 {
            let member = Member()
            roll.created("CartContext", member)
            if index % 100 == 0 { kept.append(member) }
        }
        #expect(roll.reading.created == ["CartContext": 1_000])
        #expect(roll.reading.alive == ["CartContext": 10])
        kept.removeAll()
        #expect(roll.reading.alive == ["CartContext": 0])
    }

    @Test("The JSON has the names that its readers rely on")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try ledger().report.json())) as? [String: Any]
        let clients = object?["clients"] as? [String: [String: Int]]
        #expect(clients == ["CartClient": ["success": 0, "failure": 0, "cancelled": 0, "rejected": 0]])
        #expect(object?["created"] as? [String: Int] == ["CartContext": 0])
        #expect(object?["alive"] as? [String: Int] == ["CartContext": 0])
        #expect(object?["upstream"] as? [String: Int] == ["requests": 0, "faults": 0])
        #expect((object?["contexts"] as? [String: Any])?.keys.sorted() == ["CartContext"])
        #expect(object?["in_flight"] != nil)
        for key in ["errors", "recovered", "cancelled"] { #expect(object?[key] as? Int == 0) }
    }
}
