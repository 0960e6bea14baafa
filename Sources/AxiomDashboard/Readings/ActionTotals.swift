// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The totals of all actions of clients and contexts: how they ended, and how long they took.
struct ActionTotals: Sendable {
    struct Action: Sendable, Hashable {
        let component: Int
        let name: String
    }

    /// The totals at one moment, to be compared with later ones.
    struct Mark: Sendable {
        let at: Double
        let outcomes: [UInt64]
        let buckets: [UInt64]
        let rejectedByCircuit: [String: Int]
    }

    static let outcomeNames = ["success", "failure", "cancelled", "rejected"]

    /// By number, which is that of its row.
    private(set) var actions: [Action] = []
    private var ids: [Action: Int] = [:]
    fileprivate var idsByComponent: [Int: [Int]] = [:]
    /// Four for each action, in the order of `outcomeNames`.
    private(set) var outcomes: [UInt64] = []
    /// `width` for each action.
    private(set) var buckets: [UInt64] = []
    private(set) var bounds: [Double] = []
    var width: Int { bounds.count + 1 }

    private var counters = [ComponentKind.client, .context].map { kind in
        (kind, SeriesReader<Int>("axiom_\(kind.rawValue)_actions_total"))
    }
    private var durations = [ComponentKind.client, .context].map { kind in
        (kind, SeriesReader<Int>("axiom_\(kind.rawValue)_action_duration_seconds"))
    }

    /// Reads all totals. Cost: some nanoseconds for each bucket of each action, and no look-up while no series is new.
    mutating func read(_ registry: Registry, _ components: inout ComponentBook) {
        let families = registry.collect(families: counters.map(\.1.name) + durations.map(\.1.name))
        for place in 0..<2 {
            if let family = families[place] { readOutcomes(family, place, &components) }
            if let family = families[place + 2] { readDurations(family, place, &components) }
        }
    }

    private mutating func readOutcomes(_ family: FamilySnapshot, _ place: Int, _ components: inout ComponentBook) {
        var (kind, reader) = counters[place]
        reader.update(family) { labels in
            let outcome = Self.outcomeNames.firstIndex(of: labels["outcome"] ?? "") ?? 0
            return id(kind, labels, &components) * 4 + outcome
        }
        counters[place].1 = reader
        for (position, target) in reader.targets.enumerated() {
            outcomes[target] = UInt64(family.value(at: position))
        }
    }

    private mutating func readDurations(_ family: FamilySnapshot, _ place: Int, _ components: inout ComponentBook) {
        guard let columns = family.bucketColumns else { return }
        if bounds.isEmpty {
            bounds = family.definition.buckets.upperBounds
            buckets = Array(repeating: 0, count: actions.count * width)
        }
        var (kind, reader) = durations[place]
        reader.update(family) { id(kind, $0, &components) }
        durations[place].1 = reader
        guard columns.width == width else { return }
        for (position, target) in reader.targets.enumerated() {
            for bucket in 0..<width { buckets[target * width + bucket] = columns.counts[position * width + bucket] }
        }
    }

    private mutating func id(
        _ kind: ComponentKind,
        _ labels: [String: String],
        _ components: inout ComponentBook
    ) -> Int {
        let component = components.id(ComponentDescriptor(kind: kind, name: labels[kind.rawValue] ?? ""))
        let action = Action(component: component, name: labels["action"] ?? "")
        if let id = ids[action] { return id }
        let id = actions.count
        actions.append(action)
        ids[action] = id
        idsByComponent[component, default: []].append(id)
        outcomes += [0, 0, 0, 0]
        if !bounds.isEmpty { buckets += Array(repeating: 0, count: width) }
        return id
    }

    func mark(at: Double, rejectedByCircuit: [String: Int]) -> Mark {
        Mark(at: at, outcomes: outcomes, buckets: buckets, rejectedByCircuit: rejectedByCircuit)
    }
}

extension ActionTotals {
    /// The numbers of a component's actions.
    func ids(of component: Int) -> [Int] { idsByComponent[component] ?? [] }

    /// How the calls of an action ended since a mark; of all time without one.
    func outcomes(_ action: Int, since mark: Mark? = nil) -> [UInt64] {
        (action * 4..<action * 4 + 4).map { outcomes[$0] &- Self.earlier(mark?.outcomes, $0) }
    }

    /// How long the calls of an action took since a mark.
    func durations(_ action: Int, since mark: Mark? = nil) -> [UInt64] {
        guard !bounds.isEmpty else { return [] }
        return (action * width..<(action + 1) * width).map { buckets[$0] &- Self.earlier(mark?.buckets, $0) }
    }

    /// The durations of several actions together, of all time.
    func durations(of actions: some Sequence<Int>) -> [UInt64] {
        guard !bounds.isEmpty else { return [] }
        var sum = [UInt64](repeating: 0, count: width)
        for action in actions {
            for bucket in 0..<width { sum[bucket] &+= buckets[action * width + bucket] }
        }
        return sum
    }

    /// The total of one outcome over all actions.
    func total(_ outcome: Int) -> UInt64 {
        stride(from: outcome, to: outcomes.count, by: 4).reduce(0) { $0 &+ outcomes[$1] }
    }

    private static func earlier(_ totals: [UInt64]?, _ place: Int) -> UInt64 {
        guard let totals, place < totals.count else { return 0 }
        return totals[place]
    }
}
