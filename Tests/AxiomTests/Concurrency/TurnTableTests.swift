// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// Who waits for whom, in the plainest way: a list of waits, searched from end to end.
private struct WaitList {
    struct Wait: Equatable {
        let waiter: TurnID
        let awaited: TurnID
        /// Whether the awaited turn began within the waiter.
        let isCall: Bool
    }

    var live: [TurnID] = []
    var waits: [Wait] = []

    /// Whether `first` cannot end before `last`, by walking every way.
    func reaches(_ first: TurnID, _ last: TurnID) -> Bool {
        var (reached, grew) = (Set([first]), true)
        while grew {
            grew = false
            for wait in waits where reached.contains(wait.waiter) && live.contains(wait.awaited) {
                if reached.insert(wait.awaited).inserted { grew = true }
            }
        }
        return live.contains(first) && live.contains(last) && reached.contains(last)
    }

    mutating func end(_ turn: TurnID) {
        live.removeAll { $0 == turn }
        waits.removeAll { $0.waiter == turn || $0.awaited == turn }
    }
}

@Suite("Turn table")
struct TurnTableTests {
    private static let subject = TurnSubject(.unmount, of: ComponentDescriptor(kind: .presentation, name: "A"))
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

    @Test(
        "Refuses exactly the waits that a plain search of all waits refuses, and never holds a circle",
        arguments: 0..<200
    )
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (table, model) = (TurnTable(), WaitList())
        for step in 0..<120 {
            let caller = Int.random(in: 0..<4, using: &random) == 0 ? nil : model.live.randomElement(using: &random)
            let other = model.live.randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let others = Int.random(in: 0..<2, using: &random) == 0 ? [] : [other].compactMap(\.self)
                let isCircle = caller.map { caller in others.contains { model.reaches($0, caller) } } ?? false
                let began = try? table.begin(Self.subject, at: Instant(nanoseconds: 0), within: caller, after: others)
                #expect((began == nil) == isCircle, "seed \(seed), step \(step)")
                guard let began else { continue }
                model.live.append(began)
                if let caller { model.waits.append(.init(waiter: caller, awaited: began, isCall: true)) }
                model.waits += others.map { .init(waiter: began, awaited: $0, isCall: false) }
            case 4..<6:
                guard let caller, let other else { continue }
                let isCircle = model.reaches(other, caller)
                let isRefused = (try? table.beginWait(of: caller, for: other)) == nil
                #expect(isRefused == isCircle, "seed \(seed), step \(step)")
                if !isRefused { model.waits.append(.init(waiter: caller, awaited: other, isCall: false)) }
            case 6:
                // A turn that began within the caller is awaited by a call, not by a wait that can be ended alone.
                let ends = model.waits.filter { !$0.isCall && $0.waiter == caller }
                guard let wait = ends.randomElement(using: &random), let index = model.waits.firstIndex(of: wait) else {
                    continue
                }
                table.endWait(of: wait.waiter, for: wait.awaited)
                model.waits.remove(at: index)
            case 7:
                guard let other else { continue }
                table.abandon(other)
                model.waits.removeAll { $0.awaited == other && $0.isCall }
            default:
                guard let other else { continue }
                table.end(other)
                model.end(other)
            }
            #expect(table.count == model.live.count)
            for turn in model.live {
                let isCircle = model.waits.contains { $0.waiter == turn && model.reaches($0.awaited, turn) }
                #expect(!isCircle, "seed \(seed), step \(step)")
                let last = model.live.randomElement(using: &random) ?? turn
                #expect(
                    (table.path(from: turn, to: last) != nil) == model.reaches(turn, last),
                    "seed \(seed), step \(step)"
                )
            }
        }
    }
}
