// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("Turn table")
struct TurnTableTests {
    private var table = TurnTable()

    private func subject(_ name: String) -> TurnSubject {
        TurnSubject(.unmount, of: ComponentDescriptor(kind: .presentation, name: name))
    }

    private mutating func begin(_ name: String, within: TurnID? = nil, after: [TurnID] = []) throws -> TurnID {
        try table.begin(subject(name), at: Instant(nanoseconds: 0), within: within, after: after)
    }

    @Test(
        "A turn that would wait for one that it began within is refused, with the path from caller to caller (CLI-12)"
    )
    mutating func ownTurn() throws {
        let outer = try begin("A")
        let inner = try begin("B", within: outer)
        let cycle = #expect(throws: WaitCycle.self) { try begin("C", within: inner, after: [outer]) }
        #expect(cycle?.path.map(\.component.name) == ["B", "C", "A", "B"])
        #expect(
            cycle?.description
                == "unmount of the presentation B → unmount of the presentation C → unmount of the presentation A → "
                + "unmount of the presentation B"
        )
        #expect(table.count == 2)
    }

    @Test("Two turns that each begin one after the other: the second is refused")
    mutating func mutual() throws {
        let (first, second) = (try begin("A"), try begin("B"))
        _ = try begin("B again", within: first, after: [second])
        #expect(throws: WaitCycle.self) { try begin("A again", within: second, after: [first]) }
    }

    @Test("A turn that waits for itself is refused; one that has ended waits for nothing")
    mutating func direct() throws {
        let turn = try begin("A")
        #expect(throws: WaitCycle.self) { try table.beginWait(of: turn, for: turn) }
        table.end(turn)
        try table.beginWait(of: turn, for: turn)
        #expect(table.count == 0)
    }

    @Test("Nothing waits for a turn that was abandoned, but what it waits for is still seen")
    mutating func abandoned() throws {
        let outer = try begin("A")
        let inner = try begin("B", within: outer)
        table.abandon(inner)
        try table.beginWait(of: inner, for: outer)
        #expect(throws: WaitCycle.self) { try table.beginWait(of: outer, for: inner) }
        #expect(table.live.map(\.turn.isAbandoned) == [false, true])
    }

    @Test("What keeps a turn from ending are the innermost turns that it needs")
    mutating func obstacles() throws {
        let shutdown = try begin("S")
        let other = try begin("O")
        let unmount = try begin("U", within: shutdown, after: [other])
        #expect(table.obstacles(of: shutdown).map(\.subject.component.name) == ["O"])
        table.end(other)
        #expect(table.obstacles(of: shutdown).map(\.subject.component.name) == ["U"])
        _ = try begin("D", within: unmount)
        #expect(table.obstacles(of: shutdown).map(\.subject.component.name) == ["D"])
    }
}
