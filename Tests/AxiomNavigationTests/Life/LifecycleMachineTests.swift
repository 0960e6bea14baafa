// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("The machine of phases")
struct LifecycleMachineTests {
    @Test("A jump is walked through, in both directions (APP-01)")
    func jump() {
        var machine = LifecycleMachine()
        #expect(machine.walk(to: .background) == [.active, .inactive, .background])
        #expect(machine.walk(to: .active) == [.inactive, .active])
        #expect(machine.walk(to: .terminating) == [.inactive, .background, .terminating])
        #expect(machine.request(.active) == .ignored && machine.begin() == nil)
    }

    @Test("A launch that is to end goes to its end without a detour, and a failed launch can be repeated (APP-01)")
    func launch() {
        var machine = LifecycleMachine()
        #expect(machine.request(.active) == .accepted && machine.begin()?.to == .active)
        machine.end(.failed)
        #expect(machine.phase == .launching && machine.begin() == nil)
        #expect(machine.request(.active) == .accepted && machine.begin()?.to == .active)
        #expect(machine.request(.terminating) == .cut)
        machine.end(.cut)
        #expect(machine.walk(to: .terminating) == [.terminating])
    }

    @Test("A newer request wins; a step that was cut is repeated if its phase is requested again (APP-02)")
    func cut() {
        var machine = LifecycleMachine()
        _ = machine.walk(to: .inactive)
        #expect(machine.request(.background) == .accepted && machine.begin()?.to == .background)
        #expect(machine.request(.terminating) == .accepted, "the step leads there")
        machine = LifecycleMachine()
        _ = machine.walk(to: .inactive)
        _ = machine.request(.background)
        let step = machine.begin()
        #expect(machine.request(.active) == .cut && machine.request(.background) == .accepted)
        machine.end(.cut)
        #expect(machine.phase == .background && machine.begin() == step)
        machine.end(.done)
        #expect(machine.begin() == nil)
    }

    @Test("Random histories agree with a plain reference (APP-01, APP-02)")
    func model() {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for history in 0..<TestScale.count(100_000) {
            let (machine, reference, log) = Self.history(&generator)
            guard machine == reference else {
                Issue.record("history \(history): \(log.joined(separator: ", ")): \(machine) instead of \(reference)")
                return
            }
        }
    }

    /// Carries out one random history on both, and returns the steps that each took.
    private static func history(_ generator: inout SeededGenerator) -> ([String], [String], [String]) {
        var (machine, reference) = (LifecycleMachine(), PlainLife())
        var (left, right, log): ([String], [String], [String]) = ([], [], [])
        for _ in 0..<(5 + generator.index(below: 25)) {
            switch generator.index(below: 3) {
            case 0:
                let phase = AppPhase.allCases[generator.index(below: 5)]
                log.append("request \(phase)")
                left.append("\(machine.request(phase))")
                right.append(reference.request(phase))
            case 1:
                log.append("begin")
                left.append(machine.begin().map { "\($0.from) to \($0.to)" } ?? "nothing")
                right.append(reference.begin())
            default:
                guard let step = machine.step else { continue }
                let ending = reference.ending(step, &generator)
                log.append("\(ending)")
                machine.end(ending)
                reference.end(ending)
            }
            left.append("\(machine.phase)")
            right.append("\(reference.at)")
        }
        return (left + machine.rest(), right + reference.rest(), log)
    }
}

extension LifecycleMachine {
    /// Takes every step to `phase`, and returns the phases that were passed.
    fileprivate mutating func walk(to phase: AppPhase) -> [AppPhase] {
        _ = request(phase)
        var passed: [AppPhase] = []
        while let step = begin() {
            end(.done)
            passed.append(step.to)
        }
        return passed
    }

    /// Ends what is under way, takes all steps that are left, and checks that the requested phase is reached.
    fileprivate mutating func rest() -> [String] {
        end(.done)
        let target = target
        var passed: [String] = []
        while let step = begin() {
            end(.done)
            passed.append("\(step.from) to \(step.to)")
            if passed.count > 10 { return ["endless"] }
        }
        return passed + (phase == target ? [] : ["did not arrive"])
    }
}

/// The reference: it writes down the whole way for each question, and has no state that a way can tell.
private struct PlainLife {
    var at = AppPhase.launching
    var wanted = AppPhase.launching
    var under: [AppPhase] = []
    var isCut = false
    /// The step to repeat if the way leads over it again.
    var open: [AppPhase] = []

    private static func way(_ from: AppPhase, _ to: AppPhase) -> [AppPhase] {
        let line: [AppPhase] = [.active, .inactive, .background, .terminating]
        if from == to { return [] }
        if from == .launching { return to == .terminating ? [to] : [.active] + way(.active, to) }
        let (start, end) = (line.firstIndex(of: from) ?? 0, line.firstIndex(of: to) ?? 0)
        return start < end ? Array(line[(start + 1)...end]) : line[end..<start].reversed()
    }

    mutating func request(_ phase: AppPhase) -> String {
        if phase == .launching || wanted == .terminating { return "ignored" }
        wanted = phase
        guard let from = under.first, let to = under.last, !isCut else { return "accepted" }
        isCut = Self.way(from, phase).first != to
        return isCut ? "cut" : "accepted"
    }

    mutating func begin() -> String {
        guard under.isEmpty else { return "nothing" }
        defer { open = [] }
        if let from = open.first, let to = open.last, Self.way(from, wanted).first == to {
            under = [from, to]
        } else if let next = Self.way(at, wanted).first {
            under = [at, next]
        }
        return under.isEmpty ? "nothing" : "\(under[0]) to \(under[1])"
    }

    func ending(_ step: LifecycleMachine.Step, _ generator: inout SeededGenerator) -> LifecycleMachine.Ending {
        if isCut { return generator.index(below: 4) == 0 ? .done : .cut }
        let canFail = step.from == .launching && step.to == .active
        return canFail && generator.index(below: 3) == 0 ? .failed : .done
    }

    mutating func end(_ ending: LifecycleMachine.Ending) {
        let (from, to) = (under[0], under[1])
        (under, isCut) = ([], false)
        if ending == .failed {
            if wanted != .terminating { wanted = from }
            return
        }
        if ending == .cut { open = [from, to] }
        if ending == .done || from != .launching || to == .terminating { at = to }
    }

    mutating func rest() -> [String] {
        if !under.isEmpty { end(.done) }
        var passed: [String] = []
        while true {
            let step = begin()
            if step == "nothing" { return passed }
            end(.done)
            passed.append(step)
        }
    }
}
