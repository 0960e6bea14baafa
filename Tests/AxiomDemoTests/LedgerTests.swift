// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import axiom_demo

@Suite("The ledger")
@MainActor
struct LedgerTests {
    private final class Member: Sendable {}
    private struct Broken: Error {}
    private struct Refused: Refusal {}
    private struct Failed: RequestBound { let request: UInt64 }

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
        try? await ledger.clients.enter("CartClient") { throw Refused() }
        #expect(ledger.report.clients == ["CartClient": Outcomes(success: 1, failure: 1, cancelled: 1, rejected: 1)])
        #expect(ledger.report.inFlight.clients == ["CartClient": 0])
    }

    /// Enters an action whose attempts throw `errors` one after the other, nil for success; `settle` is told the last.
    private func act(
        _ ledger: Ledger,
        _ errors: [(any Error)?],
        settle: (any Error) -> Void = { _ in }
    ) async {
        await ledger.action(of: "CartContext") {
            var last: (any Error)?
            for error in errors {
                do {
                    try await ledger.attempt { if let error { throw error } }
                    last = nil
                } catch {
                    last = error
                }
            }
            if let last, !(last is CancellationError) { settle(last) }
        }
    }

    /// A request to which the upstream answered with a fault.
    private func fault(_ ledger: Ledger) -> Failed {
        let request = ledger.faults.newRequest()
        _ = ledger.faults.serve(request)
        return Failed(request: request)
    }

    @Test("An error at a boundary is counted once, and what was called off is none")
    func errors() async {
        let ledger = ledger()
        await act(ledger, [Broken()], settle: ledger.ended)
        ledger.ended(Broken())
        await act(ledger, [CancellationError()])
        await act(ledger, [nil])
        #expect(ledger.report.errors == 2)
        #expect(ledger.report.contexts["CartContext"] == Outcomes(success: 1, failure: 1, cancelled: 1, rejected: 0))
    }

    @Test("An action is one action however often it is attempted, and its last attempt says how it ended")
    func attempts() async {
        let ledger = ledger()
        await act(ledger, [fault(ledger), nil])
        await act(ledger, [fault(ledger), fault(ledger)], settle: ledger.ended)
        await act(ledger, [fault(ledger), Refused()], settle: ledger.recovered)
        await act(ledger, [fault(ledger), CancellationError()])
        let report = ledger.report
        #expect(report.contexts["CartContext"] == Outcomes(success: 2, failure: 1, cancelled: 1, rejected: 0))
        #expect((report.errors, report.recovered, report.cancelled) == (1, 4, 0))
        #expect(report.rejections == RefusalBook.Counts(shown: 0, recovered: 1, cancelled: 0))
        #expect(report.inFlight.faults == 0)
    }

    @Test("An error of which nothing is made belongs to an action that was called off while it waited")
    func calledOff() async {
        let ledger = ledger()
        await act(ledger, [fault(ledger)])
        await act(ledger, [Refused()])
        let report = ledger.report
        #expect(report.contexts["CartContext"] == Outcomes(success: 0, failure: 0, cancelled: 2, rejected: 0))
        #expect((report.errors, report.recovered, report.cancelled) == (0, 0, 1))
        #expect(report.rejections == RefusalBook.Counts(shown: 0, recovered: 0, cancelled: 1))
    }

    @Test("Errors of refused calls are counted apart: there is no fault behind them")
    func rejections() async {
        let ledger = ledger()
        await act(ledger, [Refused()], settle: ledger.ended)
        await act(ledger, [Refused()], settle: ledger.recovered)
        await act(ledger, [fault(ledger)], settle: ledger.ended)
        let report = ledger.report
        #expect(report.rejections == RefusalBook.Counts(shown: 1, recovered: 1, cancelled: 0))
        #expect(report.upstream.faults == report.errors + report.recovered + report.cancelled)
        #expect(report.contexts["CartContext"] == Outcomes(success: 1, failure: 2, cancelled: 0, rejected: 0))
    }

    @Test("An action within an action is an action of its own")
    func nested() async {
        let ledger = ledger()
        await ledger.action(of: "CartContext") {
            try? await ledger.attempt { await act(ledger, [Broken()], settle: ledger.ended) }
        }
        #expect(ledger.report.contexts["CartContext"] == Outcomes(success: 1, failure: 1, cancelled: 0, rejected: 0))
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
        #expect(object?["upstream"] as? [String: Int] == ["requests": 0, "stormy_requests": 0, "faults": 0])
        #expect(object?["rejections"] as? [String: Int] == ["shown": 0, "recovered": 0, "cancelled": 0])
        #expect((object?["contexts"] as? [String: Any])?.keys.sorted() == ["CartContext"])
        #expect(object?["in_flight"] != nil)
        for key in ["errors", "recovered", "cancelled"] { #expect(object?[key] as? Int == 0) }
    }
}
