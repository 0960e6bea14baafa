// SPDX-License-Identifier: Apache-2.0

import AxiomNavigation
import AxiomTestSupport
import Foundation
import Testing

@Suite("The stack of a flow against a plain model")
struct StackModelTests {
    /// 100,000 histories at scale 1; a twentieth without it.
    private var histories: Int { TestScale.count(100_000) }

    @Test(
        "The effects of random histories, applied to a set of screens, give the stack's state (NAV-01, NAV-13, NAV-14)",
        .timeLimit(.minutes(10))
    )
    func random() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<histories {
            var model = StackModel(options(&generator))
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                try model.apply(change(&generator))
                if let fault = model.fault {
                    Issue.record("\(fault): \(model.trace.suffix(8))")
                    return
                }
            }
        }
    }

    private func options(_ generator: inout SplitMix64) -> NavigationOptions {
        var options = NavigationOptions()
        options.historyLimit = .random(in: 1...8, using: &generator)
        options.liveScreens = .random(in: 1...5, using: &generator)
        options.whenOnStack = .allCases.randomElement(using: &generator) ?? .push
        options.whenFull = .allCases.randomElement(using: &generator) ?? .refuse
        return options
    }

    private func route(_ generator: inout SplitMix64) -> FlowRoute {
        let number = Int.random(in: 0..<4, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .home
        case 1, 2: return .item(number)
        case 3, 4: return .sheet(number)
        default: return .swap(number)
        }
    }

    private func change(_ generator: inout SplitMix64) -> StackChange<FlowRoute> {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .root
        case 1, 2: return .back(.random(in: -1...4, using: &generator))
        case 3: return .reset((0..<Int.random(in: 0...5, using: &generator)).map { _ in route(&generator) })
        case 4, 5: return .replace(route(&generator))
        default: return .show(route(&generator))
        }
    }
}

/// The routes as a plain array, and the screens as a set that only the effects change.
private struct StackModel {
    private enum Screen { case shown, covered }

    private let options: NavigationOptions
    private var stack: NavigationStack<FlowRoute>
    private var routes: [FlowRoute] = []
    private var screens: [UInt64: Screen] = [:]
    private var dehydrated: Set<UInt64> = []
    private var opened: Set<UInt64> = []
    private var closed: Set<UInt64> = []
    private(set) var trace: [String] = []
    /// The first law that was broken.
    private(set) var fault: String?

    init(_ options: NavigationOptions) {
        self.options = options
        stack = NavigationStack(options)
    }

    mutating func apply(_ change: StackChange<FlowRoute>) throws {
        trace.append("\(change)")
        let (before, expected) = (stack, reference(change))
        do {
            let effects = try stack.apply(change)
            expect(expected != nil, "the stack accepted what the model refuses")
            routes = expected ?? routes
            checkOrder(effects)
            for effect in effects { carryOut(effect) }
        } catch {
            expect(expected == nil, "the stack refused what the model accepts")
            expect(stack.entries == before.entries && stack.live == before.live, "a refusal changed the stack")
        }
        checkState()
    }

    /// The routes after the change; nil if it is refused.
    private func reference(_ change: StackChange<FlowRoute>) -> [FlowRoute]? {
        switch change {
        case .root: return Array(routes.prefix(1))
        case .back(let count): return routes.isEmpty ? [] : Array(routes.prefix(max(1, routes.count - max(0, count))))
        case .reset(let new): return new.isEmpty || new.count > options.historyLimit ? nil : new
        case .replace(let route) where route == routes.last: return routes
        case .show(let route), .replace(let route):
            var isReplaced = false
            if case .replace = change { isReplaced = true }
            let below = Array(routes.dropLast(isReplaced ? 1 : 0))
            if let index = below.lastIndex(of: route), options.whenOnStack != .push {
                return options.whenOnStack == .popTo ? Array(routes[...index]) : nil
            }
            if case .swap = route { isReplaced = true }
            var new = Array(routes.dropLast(isReplaced ? 1 : 0)) + [route]
            guard new.count > options.historyLimit else { return new }
            guard options.whenFull == .dropOldest, new.count > 2 else { return nil }
            new.remove(at: 1)
            return new
        }
    }

    /// What can be taken back comes first.
    private mutating func checkOrder(_ effects: [StackEffect<FlowRoute>]) {
        let final = effects.firstIndex {
            switch $0 {
            case .open, .cover: false
            case .close, .uncover, .dehydrate: true
            }
        }
        for effect in effects[(final ?? effects.endIndex)...] {
            switch effect {
            case .open, .cover: expect(false, "an effect that can fail after one that is final")
            case .close, .uncover, .dehydrate: break
            }
        }
    }

    private mutating func carryOut(_ effect: StackEffect<FlowRoute>) {
        switch effect {
        case .open(let entry):
            expect(screens[entry.id] == nil && !closed.contains(entry.id), "opened twice")
            screens[entry.id] = .shown
            opened.insert(entry.id)
            dehydrated.remove(entry.id)
        case .cover(let id):
            expect(screens[id] == .shown, "covered what is not shown")
            screens[id] = .covered
        case .uncover(let id):
            expect(screens[id] == .covered, "uncovered what is not covered")
            screens[id] = .shown
        case .close(let id):
            expect(closed.insert(id).inserted, "closed twice")
            screens[id] = nil
            dehydrated.remove(id)
        case .dehydrate(let id):
            expect(screens[id] == .covered, "dehydrated what is not covered")
            screens[id] = nil
            dehydrated.insert(id)
        }
    }

    private mutating func checkState() {
        expect(stack.routes == routes, "the routes differ")
        expect(Set(screens.keys) == stack.live, "the live screens differ")
        expect(screens.count <= options.liveScreens, "too many live screens")
        let shown = screens.filter { $0.value == .shown }.map(\.key)
        expect(shown == stack.entries.suffix(1).map(\.id), "the top differs")
        expect(routes.count <= options.historyLimit, "the history is too long")
        expect(dehydrated.isSubset(of: Set(stack.entries.map(\.id))), "a dehydrated screen left the history")
        let known = closed.intersection(opened).union(screens.keys).union(dehydrated)
        expect(opened == known, "a screen was lost")
        expect(Set(stack.entries.map(\.id)).count == stack.entries.count, "a number is used twice")
    }

    private mutating func expect(_ isTrue: Bool, _ law: String) {
        if !isTrue, fault == nil { fault = law }
    }
}
