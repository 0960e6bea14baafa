// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
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
        let tails: [Int: [UInt64]]
        let rejectedByCircuit: [String: Int]
        let callsByEdge: [ComponentDependency: UInt64]
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
    /// By action, where the telemetry knows how long those calls took that are beyond the bounds.
    private(set) var tails: [Int: [UInt64]] = [:]
    private var knowsTails = false
    private(set) var bounds: [Double] = []
    var width: Int { bounds.count + 1 }

    /// The upper bounds of what ``durations(_:since:)`` gives, but for the last.
    var spreadBounds: [Double] { knowsTails ? bounds + DurationTail.bounds : bounds }

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

    /// Reads how long those calls took that are beyond the bounds. From now on they are told apart.
    mutating func read(_ found: [DurationTail], _ components: inout ComponentBook) {
        knowsTails = true
        for tail in found {
            let action = Action(component: components.id(tail.component), name: tail.action)
            if let id = ids[action] { tails[id] = tail.counts }
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

    func mark(
        at: Double,
        rejectedByCircuit: [String: Int],
        callsByEdge: [ComponentDependency: UInt64]
    ) -> Mark {
        Mark(
            at: at,
            outcomes: outcomes,
            buckets: buckets,
            tails: tails,
            rejectedByCircuit: rejectedByCircuit,
            callsByEdge: callsByEdge
        )
    }
}

extension ActionTotals {
    /// The numbers of a component's actions.
    func ids(of component: Int) -> [Int] { idsByComponent[component] ?? [] }

    /// How the calls of an action ended since a mark; of all time without one.
    func outcomes(_ action: Int, since mark: Mark? = nil) -> [UInt64] {
        (action * 4..<action * 4 + 4).map { outcomes[$0] &- Self.earlier(mark?.outcomes, $0) }
    }

    /// How long the calls of actions took, since a mark or of all time: a count for each of ``spreadBounds``, and the last
    /// for what is beyond. Zeros at the end may be missing.
    ///
    /// What is beyond the histogram's bounds is taken from the tail alone, where tails are known: it is added to a moment
    /// later, and each count must only grow.
    func durations(of actions: some Sequence<Int>, since mark: Mark? = nil) -> [UInt64] {
        guard !bounds.isEmpty else { return [] }
        let kept = knowsTails ? bounds.count : width
        var sum = [UInt64](repeating: 0, count: kept)
        for action in actions {
            for bucket in 0..<kept {
                let place = action * width + bucket
                sum[bucket] &+= buckets[place] &- Self.earlier(mark?.buckets, place)
            }
            guard let tail = tails[action] else { continue }
            if sum.count == kept { sum += Array(repeating: 0, count: tail.count) }
            for (place, count) in tail.enumerated() {
                sum[kept + place] &+= count &- Self.earlier(mark?.tails[action], place)
            }
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
