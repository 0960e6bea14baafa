// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
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

/// A turn table and a list of waits, to which the same happens. Each step returns whether both agree.
private struct TurnHistory {
    private static let subject = TurnSubject(.unmount, of: ComponentDescriptor(kind: .presentation, name: "A"))
    private var table = TurnTable()
    private var model = WaitList()
    private var random: SeededGenerator

    init(_ random: SeededGenerator) { self.random = random }

    mutating func run(steps: Int) -> Bool {
        for _ in 0..<steps {
            guard step(), agree() else { return false }
        }
        return true
    }

    private mutating func step() -> Bool {
        let caller = random.index(below: 4) == 0 ? nil : model.live.randomElement(using: &random)
        let other = model.live.randomElement(using: &random)
        switch random.index(below: 10) {
        case 0..<4: return begin(within: caller, after: random.index(below: 2) == 0 ? nil : other)
        case 4..<6: return beginWait(of: caller, for: other)
        case 6: endWait(of: caller)
        case 7: abandon(other)
        default: end(other)
        }
        return true
    }

    private mutating func begin(within caller: TurnID?, after other: TurnID?) -> Bool {
        let isCircle = caller.map { caller in other.map { model.reaches($0, caller) } ?? false } ?? false
        let others = [other].compactMap(\.self)
        let began = try? table.begin(Self.subject, at: Instant(nanoseconds: 0), within: caller, after: others)
        guard let began else { return isCircle }
        model.live.append(began)
        if let caller { model.waits.append(.init(waiter: caller, awaited: began, isCall: true)) }
        model.waits += others.map { .init(waiter: began, awaited: $0, isCall: false) }
        return !isCircle
    }

    private mutating func beginWait(of caller: TurnID?, for other: TurnID?) -> Bool {
        guard let caller, let other else { return true }
        let isCircle = model.reaches(other, caller)
        let isRefused = (try? table.beginWait(of: caller, for: other)) == nil
        if !isRefused { model.waits.append(.init(waiter: caller, awaited: other, isCall: false)) }
        return isRefused == isCircle
    }

    /// A turn that began within the caller is awaited by a call, not by a wait that can be ended alone.
    private mutating func endWait(of caller: TurnID?) {
        let ends = model.waits.indices.filter { !model.waits[$0].isCall && model.waits[$0].waiter == caller }
        guard let index = ends.randomElement(using: &random) else { return }
        let wait = model.waits.remove(at: index)
        table.endWait(of: wait.waiter, for: wait.awaited)
    }

    private mutating func abandon(_ turn: TurnID?) {
        guard let turn else { return }
        table.abandon(turn)
        model.waits.removeAll { $0.awaited == turn && $0.isCall }
    }

    private mutating func end(_ turn: TurnID?) {
        guard let turn else { return }
        table.end(turn)
        model.end(turn)
    }

    /// Whether both hold the same turns and find the same ways, and neither a circle.
    private mutating func agree() -> Bool {
        guard table.count == model.live.count else { return false }
        for turn in model.live {
            let isCircle = model.waits.contains { $0.waiter == turn && model.reaches($0.awaited, turn) }
            let last = model.live.randomElement(using: &random) ?? turn
            let path = table.path(from: turn, to: last)
            guard !isCircle, (path != nil) == model.reaches(turn, last) else { return false }
        }
        return true
    }
}

@Suite("Turn table against a list of waits", .timeLimit(.minutes(10)))
struct TurnTableModelTests {
    @Test(
        "Refuses exactly the waits that a plain search refuses, and holds no circle, in 10^5 random histories (CLI-12)"
    )
    func model() {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            // Few histories are long: a step costs the cube of the number of turns.
            let steps = random.index(below: 20) == 0 ? 120 : random.index(below: 25)
            var run = TurnHistory(random)
            guard run.run(steps: steps) else {
                Issue.record("seed \(seed), history \(history)")
                return
            }
        }
    }
}
