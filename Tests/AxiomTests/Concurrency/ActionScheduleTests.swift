// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

/// The calls in the plainest way: one list of all of them in the order of their arrival, searched from end to end.
private struct CallList {
    enum Status { case running, waiting, quiet }

    struct Call {
        let id: UInt64
        let key: ActionSchedule.Key
        let isSerial: Bool
        var status: Status
        var isCancelled = false
    }

    var calls: [Call] = []

    private func group(_ key: ActionSchedule.Key, _ isSerial: Bool) -> [Call] {
        calls.filter { $0.key == key && $0.isSerial == isSerial }
    }

    mutating func arrive(
        _ id: UInt64,
        _ key: ActionSchedule.Key,
        _ rule: ActionSchedule.Rule
    ) -> (ActionSchedule.Arrival, ActionSchedule.Effects) {
        guard case .serial(let limit) = rule else { return replace(id, key, isQuiet: rule == .debounced) }
        let others = group(key, true)
        guard let last = others.last else {
            calls.append(Call(id: id, key: key, isSerial: true, status: .running))
            return (.starts, .init())
        }
        guard others.count - 1 < limit else { return (.refused, .init()) }
        calls.append(Call(id: id, key: key, isSerial: true, status: .waiting))
        return (.waits(behind: last.id), .init())
    }

    private mutating func replace(
        _ id: UInt64,
        _ key: ActionSchedule.Key,
        isQuiet: Bool
    ) -> (ActionSchedule.Arrival, ActionSchedule.Effects) {
        let replaced = group(key, false).filter { $0.status != .running }.map(\.id)
        calls.removeAll { replaced.contains($0.id) }
        calls.append(Call(id: id, key: key, isSerial: false, status: .quiet))
        guard !isQuiet else { return (.waits(behind: nil), .init(superseded: replaced)) }
        var effects = elapsed(id)
        effects.superseded = replaced
        defer { effects.started = nil }
        let starts = effects.started != nil
        effects.started = nil
        return (starts ? .starts : .waits(behind: nil), effects)
    }

    mutating func elapsed(_ id: UInt64) -> ActionSchedule.Effects {
        guard let index = calls.firstIndex(where: { $0.id == id && $0.status == .quiet }) else { return .init() }
        let call = calls[index]
        let running = calls.firstIndex { $0.key == call.key && !$0.isSerial && $0.status == .running }
        calls[index].status = running == nil ? .running : .waiting
        guard let running else { return .init(started: id) }
        defer { calls[running].isCancelled = true }
        return .init(cancelled: calls[running].isCancelled ? nil : calls[running].id)
    }

    mutating func end(_ id: UInt64) -> ActionSchedule.Effects {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return .init() }
        let call = calls[index]
        let before = group(call.key, call.isSerial)
        calls.remove(at: index)
        var effects = ActionSchedule.Effects()
        if call.status == .running {
            if let next = calls.firstIndex(where: {
                $0.key == call.key && $0.isSerial == call.isSerial && $0.status == .waiting
            }) {
                calls[next].status = .running
                effects.started = calls[next].id
            }
        } else if call.isSerial, let place = before.firstIndex(where: { $0.id == id }), place + 1 < before.count {
            effects.moved = .init(call: before[place + 1].id, behind: before[place - 1].id)
        }
        return effects
    }
}

@Suite("Schedule of a client's actions", .timeLimit(.minutes(10)))
struct ActionScheduleTests {
    private static let rules: [ActionSchedule.Rule] = [
        .serial(limit: 0), .serial(limit: 1), .serial(limit: 3), .serial(limit: -1), .latest, .debounced,
    ]

    @Test("Every event has the effects that a plain list of the calls gives it, in 10^5 random histories (CLI-07)")
    func model() {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            guard run(&random) else {
                Issue.record("seed \(seed), history \(history)")
                return
            }
        }
    }

    /// Runs one history. Returns whether the machine agreed with the list.
    private func run(_ random: inout SeededGenerator) -> Bool {
        var (machine, list) = (ActionSchedule(), CallList())
        for _ in 0..<random.index(below: 40) {
            let known = list.calls.isEmpty ? 0 : list.calls[random.index(below: list.calls.count)].id
            // Sometimes a call that has ended, or that never was.
            let id = random.index(below: 8) == 0 ? known &+ 1 : known
            switch random.index(below: 6) {
            case 0..<3:
                let key: ActionSchedule.Key = random.index(below: 2) == 0 ? .action(0) : .text("a")
                let rule = Self.rules[random.index(below: Self.rules.count)]
                let (call, arrival, effects) = machine.arrive(key, rule)
                let expected = list.arrive(call, key, rule)
                guard arrival == expected.0, effects == expected.1 else { return false }
            case 3: guard machine.elapsed(id) == list.elapsed(id) else { return false }
            default: guard machine.end(id) == list.end(id) else { return false }
            }
            guard machine.count == list.calls.count else { return false }
        }
        for call in list.calls { _ = machine.end(call.id) }
        return machine.count == 0
    }
}
