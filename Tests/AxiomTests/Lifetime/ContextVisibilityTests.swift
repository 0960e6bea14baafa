// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// What happens to a context, in any order.
private enum Event: CaseIterable {
    case appear, appeared, cover, covered, uncover, background, foreground, unmount, unmounted
}

/// The rules of visibility as a list of calls and a few facts, without states.
private struct VisibilityModel {
    enum Call: Equatable { case appear, disappear, background, foreground }

    var calls: [Call] = []
    var isCovered = false
    var isUnmounted = false
    var isVisible = false
    var endsToCome: [Int] = []
    var coversToEnd = 0

    var lastLifeCall: Call? { calls.last { $0 == .appear || $0 == .disappear } }
    var appearances: Int { calls.count { $0 == .appear } }
    var lastPhase: Call { calls.last { $0 == .background || $0 == .foreground } ?? .foreground }

    mutating func appear() -> Bool {
        guard lastLifeCall != .appear, !isCovered, !isUnmounted else { return false }
        return call(.appear)
    }

    mutating func uncover() {
        if coversToEnd == 0, !isUnmounted { isCovered = false }
    }

    mutating func appeared(_ number: Int) -> Bool {
        guard number == appearances, lastLifeCall == .appear, !isCovered, !isUnmounted else { return false }
        isVisible = true
        return true
    }

    /// Returns whether the cover has an effect.
    mutating func cover() -> Bool {
        guard !isCovered, !isUnmounted else { return false }
        if lastLifeCall == .appear, call(.disappear) { coversToEnd += 1 }
        isCovered = true
        return true
    }

    /// Returns whether the unmount has an effect.
    mutating func unmount() -> Bool {
        guard !isUnmounted else { return false }
        if lastLifeCall == .appear { _ = call(.disappear) }
        isUnmounted = true
        return true
    }

    mutating func learn(_ phase: Call) -> Bool {
        guard isVisible, lastPhase != phase else { return false }
        calls.append(phase)
        return true
    }

    private mutating func call(_ call: Call) -> Bool {
        if call == .appear { endsToCome.append(appearances + 1) }
        isVisible = false
        calls.append(call)
        return true
    }
}

@Suite("The visibility of a context: the machine", .timeLimit(.minutes(10)))
struct ContextVisibilityTests {
    @Test("In every history of events the machine makes the calls of the model, which alternate (CTX-08)")
    func histories() {
        for seed in 0..<Histories.count {
            guard check(seed) else { return }
        }
    }

    /// Plays one history. Returns false if the machine and the model differ.
    private func check(_ seed: UInt64) -> Bool {
        var random = SeededGenerator(seed: seed)
        var (machine, model) = (ContextVisibility(), VisibilityModel())
        for _ in 0..<40 {
            let event = Event.allCases.randomElement(using: &random) ?? .appear
            guard play(event, &machine, &model, &random), isSame(machine, model) else {
                Issue.record("seed \(seed): after \(event), \(machine) is not \(model)")
                return false
            }
        }
        guard end(&machine, &model), machine.life == .gone, isInOrder(model) else {
            Issue.record("seed \(seed): ended as \(machine) with \(model.calls)")
            return false
        }
        return true
    }

    /// Returns whether both decide the same about the event.
    private func play(
        _ event: Event,
        _ machine: inout ContextVisibility,
        _ model: inout VisibilityModel,
        _ random: inout SeededGenerator
    ) -> Bool {
        switch event {
        case .appear: return (machine.appear() != nil) == model.appear()
        case .uncover:
            machine.uncover()
            model.uncover()
            return true
        case .appeared:
            // Any call that is under way may end, not only the latest.
            guard let index = model.endsToCome.indices.randomElement(using: &random) else { return true }
            let number = model.endsToCome.remove(at: index)
            return machine.appeared(number) == model.appeared(number)
        case .cover: return machine.cover() == model.cover()
        case .covered:
            guard model.coversToEnd > 0 else { return true }
            model.coversToEnd -= 1
            machine.covered()
            return true
        case .background, .foreground:
            let phase = event == .background ? VisibilityModel.Call.background : .foreground
            return machine.learn(isInBackground: event == .background) == model.learn(phase)
        case .unmount: return disappear(&machine, &model)
        case .unmounted:
            guard model.isUnmounted else { return true }
            machine.disappeared()
            return machine.life == .gone
        }
    }

    private func disappear(_ machine: inout ContextVisibility, _ model: inout VisibilityModel) -> Bool {
        let (calls, notifies) = (model.calls.count, machine.isShown)
        let isFirst = model.unmount()
        return machine.disappear() == isFirst && (!isFirst || notifies == (model.calls.count > calls))
    }

    private func end(_ machine: inout ContextVisibility, _ model: inout VisibilityModel) -> Bool {
        let isSame = disappear(&machine, &model)
        machine.disappeared()
        return isSame
    }

    private func isSame(_ machine: ContextVisibility, _ model: VisibilityModel) -> Bool {
        (machine.life == .visible) == model.isVisible
            && machine.appearances == model.appearances
            && machine.knowsBackground == (model.lastPhase == .background)
            && (machine.life == .covering) == (model.coversToEnd > 0 && !model.isUnmounted)
    }

    /// Whether onAppear and onDisappear alternate, the first is onAppear, the last is onDisappear, and the application's
    /// phases alternate between them.
    private func isInOrder(_ model: VisibilityModel) -> Bool {
        var (isShown, isInBackground) = (false, false)
        for call in model.calls {
            switch call {
            case .appear, .disappear:
                guard isShown != (call == .appear) else { return false }
                isShown = call == .appear
            case .background, .foreground:
                guard isShown, isInBackground != (call == .background) else { return false }
                isInBackground = call == .background
            }
        }
        return !isShown
    }

    @Test("A context that is uncovered while its onDisappear() is under way is not covered yet (CTX-08)")
    func uncoverWhileCovering() {
        var machine = ContextVisibility()
        var results = [machine.appear() == 1, machine.appeared(1), machine.cover()]
        #expect(results == [true, true, true] && machine.life == .covering)
        machine.uncover()
        let early = machine.appear()
        machine.covered()
        machine.uncover()
        let number = machine.appear()
        #expect(early == nil && number == 2)
        results = [machine.appeared(1), machine.appeared(2)]
        #expect(results == [false, true], "the end of the first call belongs to the past")
    }
}
