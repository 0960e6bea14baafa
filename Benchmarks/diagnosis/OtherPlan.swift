// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// An application of the second generator before it runs: its graph, its load and its faults. Making one is cheap.
struct OtherPlan: Sendable {
    let seed: UInt64
    private(set) var graph: OtherGraph
    let load: OtherLoad
    private(set) var faults: [OtherFault] = []
    /// The seconds without faults, and those with them.
    private(set) var (before, after) = (0, 0)
    /// The limits of the actions of clients and contexts that the application confirms, in seconds, by part.
    private(set) var limits: [Int: Double] = [:]
    /// The expected calls in a second, by part and call, and by part and caller.
    private var (rates, callers): ([[Double]], [[Int: Double]])
    /// The expected seconds of each call of each part.
    private let means: [[Double]]
    private static let mostCalls = 800.0

    /// Makes a plan with faults of these kinds.
    ///
    /// - Parameter isFlawless: Whether calls without a fault never fail.
    /// - Returns: Nil if no component can have one of them.
    init?(seed: UInt64, attempt: UInt64, kinds: [OtherKind], isFlawless: Bool) {
        let seed = seed &* 1_000 &+ attempt
        self.seed = seed
        var source = OtherDice(seed: seed, stream: 1)
        graph = OtherGraph(&source)
        if isFlawless { graph.neverFail() }
        means = Self.means(graph)
        var load = OtherLoad(graph, &source, seed: seed)
        (rates, callers) = Self.rates(graph, load)
        let all = rates.reduce(0) { $0 + $1.reduce(0, +) }
        if all > Self.mostCalls {
            load.slowDown(by: all / Self.mostCalls)
            (rates, callers) = Self.rates(graph, load)
        }
        self.load = load
        _ = source.unit()
        confirmLimits()
        (before, after) = Self.lengths(kinds, &source)
        var dice = OtherDice(seed: seed, stream: 2)
        for kind in kinds {
            guard let fault = fault(kind, &dice) else { return nil }
            faults.append(fault)
        }
        if kinds.contains(.deep) { graph.wrapAllErrors() }
    }

    private static func lengths(_ kinds: [OtherKind], _ source: inout OtherDice) -> (Int, Int) {
        let before = source.number(600, 1_000)
        let isLong = kinds.contains(.degrading)
        // It ends one to two minutes after the fault has come once more.
        if kinds.contains(.comesAndGoes) { return (before, (isLong ? 720 : 480) + source.number(60, 115)) }
        return (before, isLong ? source.number(620, 720) : source.number(360, 600))
    }

    /// Forty times the mean of the slowest action, 0.1 s or more: nothing healthy takes as long. Without them the
    /// limits of the library would apply, which not every healthy application keeps.
    private mutating func confirmLimits() {
        for (index, part) in graph.parts.enumerated() where [.client, .context].contains(part.component.kind) {
            limits[index] = max(0.1, 40 * (means[index].max() ?? 0))
        }
    }

    private static func means(_ graph: OtherGraph) -> [[Double]] {
        var means: [[Double]] = []
        for part in graph.parts {
            means.append(
                part.calls.map { call in
                    let below = call.edges.map { $0.probability * means[$0.part][$0.call] }.reduce(0, +)
                    return (1 - part.hits) * (call.work.mean + below)
                }
            )
        }
        return means
    }

    private static func rates(_ graph: OtherGraph, _ load: OtherLoad) -> ([[Double]], [[Int: Double]]) {
        var rates = graph.parts.map { $0.calls.map { _ in 0.0 } }
        var callers = graph.parts.map { _ in [Int: Double]() }
        for root in load.roots {
            for (action, weight) in root.weights.enumerated() {
                rates[root.part][action] += root.rate * weight / root.weights.reduce(0, +)
            }
        }
        for (caller, part) in graph.parts.enumerated().reversed() {
            for (call, rate) in zip(part.calls, rates[caller]) {
                for edge in call.edges {
                    let calls = rate * (1 - part.hits) * edge.probability
                    rates[edge.part][edge.call] += calls
                    callers[edge.part][caller, default: 0] += calls
                }
            }
        }
        return (rates, callers)
    }

    func name(_ part: Int) -> String { graph.parts[part].component.name }

    /// The expected calls of a part in a second.
    func rate(_ part: Int) -> Double { rates[part].reduce(0, +) }

    // MARK: - Faults

    private func fault(_ kind: OtherKind, _ dice: inout OtherDice) -> OtherFault? {
        let places = places(kind, &dice).filter { place in !faults.contains { $0.part == place.part } }
        guard let place = dice.pick(places) else { return nil }
        var fault = OtherFault(
            kind: kind,
            part: place.part,
            call: place.call,
            caller: place.caller,
            since: kind == .misconfigured ? 0 : Double(before)
        )
        fault.accepted = [name(place.part)] + (place.caller.map { [name($0)] } ?? [])
        fault.flag = dice.chance(0.5)
        let calls = graph.parts[place.part].calls.indices.filter { place.call ?? $0 == $0 && rates[place.part][$0] > 0 }
        // As many times as makes the slowdown visible beside what the calls wait for anyway.
        let needed = calls.map { (4 * means[place.part][$0] + 0.03) / graph.parts[place.part].calls[$0].work.mean }
        fault.factor = max(dice.scale(6, 60), needed.max() ?? 1)
        switch kind {
        case .tail: (fault.factor, fault.share) = (max(50, 2.5 * fault.factor), 0.1)
        case .failing:
            (fault.share, fault.seconds) = (dice.between(0.3, 1), dice.chance(0.3) ? dice.between(0.5, 3) : 0)
        case .flapping: fault.seconds = dice.scale(5, 40)
        case .deep, .shared, .oneCaller: fault.share = dice.between(0.5, 1)
        case .retrying: fault.share = dice.between(0.4, 0.8)
        case .starving, .pool: fault.seconds = dice.scale(0.1, 1)
        case .queueing: (fault.seconds, fault.share) = (dice.between(1, 5), dice.between(0.05, 0.2))
        case .hanging: fault.share = dice.between(0.05, 0.4)
        case .growing: fault.growth = dice.scale(3_000, 40_000)
        case .leaking: fault.share = dice.between(0.5, 1)
        default: break
        }
        return fault
    }

    private struct Place {
        let part: Int
        var call: Int?
        var caller: Int?
    }

    /// Where a fault of a kind would have an effect.
    private func places(_ kind: OtherKind, _ dice: inout OtherDice) -> [Place] {
        let capabilities = busy(.capability)
        switch kind {
        case .slow, .failing, .flapping, .degrading:
            return (dice.chance(0.8) ? capabilities : busy(.client)).map { Place(part: $0) }
        case .unavailable, .comesAndGoes, .queueing, .hanging: return capabilities.map { Place(part: $0) }
        // Of a cache, most calls would not have them.
        case .retrying, .tail: return capabilities.filter { graph.parts[$0].hits == 0 }.map { Place(part: $0) }
        case .starving, .growing: return busy(.client).map { Place(part: $0) }
        case .leaking:
            return graph.parts.indices.filter { graph.parts[$0].opened > 0.1 }.map { Place(part: $0) }
        case .pool: return capabilities.filter { graph.parts[$0].hasPool }.map { Place(part: $0) }
        case .coldCache: return capabilities.filter(isCacheOfSlowWork).map { Place(part: $0) }
        case .deep: return deepest(capabilities).map { Place(part: $0) }
        case .shared: return capabilities.filter { callers[$0].count { $0.value > 0.1 } > 1 }.map { Place(part: $0) }
        case .misconfigured: return singleCalls(capabilities, share: 0...1)
        case .oneCall: return singleCalls(capabilities, share: 0.1...0.85)
        case .oneCaller: return capabilities.flatMap(singleCallers)
        }
    }

    /// Those of a kind that are called once in two seconds or more.
    private func busy(_ kind: ComponentKind) -> [Int] {
        graph.parts.indices.filter { graph.parts[$0].component.kind == kind && rate($0) > 0.55 }
    }

    private func isCacheOfSlowWork(_ part: Int) -> Bool {
        let slowest = zip(means[part], rates[part]).filter { $0.1 > 0.3 }.map(\.0).max() ?? 0
        return graph.parts[part].hits > 0 && slowest / (1 - graph.parts[part].hits) > 0.005
    }

    private func deepest(_ capabilities: [Int]) -> [Int] {
        var depths = graph.parts.map { _ in 0 }
        for (caller, part) in graph.parts.enumerated().reversed() {
            for edge in part.calls.flatMap(\.edges) { depths[edge.part] = max(depths[edge.part], depths[caller] + 1) }
        }
        let most = capabilities.map { depths[$0] }.max() ?? 0
        return most < 3 ? [] : capabilities.filter { depths[$0] == most }
    }

    private func singleCalls(_ capabilities: [Int], share: ClosedRange<Double>) -> [Place] {
        capabilities.flatMap { part -> [Place] in
            guard rates[part].count(where: { $0 > 0 }) > 1 else { return [] }
            let calls = rates[part].enumerated().filter { $0.element > 0.55 && share.contains($0.element / rate(part)) }
            return calls.map { Place(part: part, call: $0.offset) }
        }
    }

    private func singleCallers(_ part: Int) -> [Place] {
        let busy = callers[part].filter { $0.value > 0.55 && rate(part) - $0.value > 0.2 }
        return busy.keys.sorted().map { Place(part: part, caller: $0) }
    }
}
