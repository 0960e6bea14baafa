// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// When users, timers and other machines start the actions of contexts and request handlers.
struct OtherLoad: Sendable {
    enum Pattern: String, Sendable, CaseIterable {
        case steady
        /// Five times as much for some seconds or minutes, and again less.
        case bursts
        /// Up and down in a day, or in parts of one.
        case wave
        /// One to six people who work for minutes and are away for minutes.
        case fewUsers
    }

    struct Root: Sendable {
        let part: Int
        /// Actions in a second, on average.
        var rate: Double
        /// How often each of its actions is chosen.
        let weights: [Double]
        /// The period of a timer, in seconds, and when it is due.
        let period: Double?
        var due = 0.0
    }

    private struct User: Sendable {
        var (isActive, until) = (false, 0.0)
    }

    /// An action that starts in a second.
    struct Arrival: Sendable {
        /// The time since the start of the run, in seconds.
        let time: Double
        let part: Int
        let action: Int
    }

    let pattern: Pattern
    private(set) var roots: [Root] = []
    private var users: [User] = []
    private var dice: OtherDice
    private let (phase, period): (Double, Double)
    private var (isBurst, until) = (false, 0.0)

    init(_ graph: OtherGraph, _ source: inout OtherDice, seed: UInt64) {
        let pattern = source.pick(Pattern.allCases) ?? .steady
        self.pattern = pattern
        dice = OtherDice(seed: seed, stream: 4)
        (phase, period) = (source.between(0, 86_400), source.scale(1_200, 86_400))
        var total = graph.shape == .backend ? source.scale(2, 200) : source.scale(0.5, 40)
        if pattern == .fewUsers {
            users = Array(repeating: User(), count: source.number(1, 6))
            total = Double(users.count) / source.between(2, 12)
        }
        let parts = graph.parts.indices.filter { [.context, .request].contains(graph.parts[$0].component.kind) }
        let shares = parts.map { _ in source.scale(0.1, 1) }
        for (part, share) in zip(parts, shares) {
            let weights = graph.parts[part].calls.map { _ in source.scale(0.1, 1) }
            let isTimer = source.chance(0.15)
            let rate = isTimer ? source.scale(0.1, 2) : total * share / shares.reduce(0, +)
            roots.append(Root(part: part, rate: rate, weights: weights, period: isTimer ? 1 / rate : nil))
        }
    }

    /// Makes everything but timers rarer.
    mutating func slowDown(by factor: Double) {
        for index in roots.indices where roots[index].period == nil { roots[index].rate /= factor }
    }

    /// How much happens at a second, as a multiple of the average.
    mutating func factor(at second: Double) -> Double {
        switch pattern {
        case .steady: return 1
        case .wave: return 1 + 0.7 * sin((second + phase) / period * 2 * .pi)
        case .bursts:
            if second >= until { (isBurst, until) = (!isBurst, second + dice.scale(20, 240)) }
            return isBurst ? 5.0 / 3 : 1.0 / 3
        case .fewUsers:
            for index in users.indices where second >= users[index].until {
                users[index].isActive.toggle()
                let isActive = users[index].isActive
                users[index].until = second + (isActive ? dice.scale(60, 900) : dice.scale(20, 300))
            }
            return Double(users.count { $0.isActive }) / Double(users.count)
        }
    }

    /// What starts in a second.
    mutating func arrivals(in second: Double, _ factor: Double) -> [Arrival] {
        var arrivals: [Arrival] = []
        for (index, root) in roots.enumerated() {
            var time = second
            func add(_ time: Double) {
                arrivals.append(Arrival(time: time, part: root.part, action: dice.index(by: root.weights)))
            }
            if let period = root.period {
                while roots[index].due < second + 1 {
                    add(max(second, roots[index].due))
                    roots[index].due += period * dice.between(0.98, 1.02)
                }
                continue
            }
            guard factor * root.rate > 0 else { continue }
            time += dice.exponential(mean: 1 / (factor * root.rate))
            while time < second + 1 {
                add(time)
                time += dice.exponential(mean: 1 / (factor * root.rate))
            }
        }
        return arrivals
    }
}
