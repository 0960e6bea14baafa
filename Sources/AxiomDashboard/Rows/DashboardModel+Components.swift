// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomMetrics

extension DashboardModel {
    func componentRows(_ facts: RowFacts) -> [Row] {
        let counts = Dictionary(facts.census.map { ($0.component, $0) }) { first, _ in first }
        let lifetimes = lifetimes(counts)
        let inFlight = telemetry?.actionsInFlight ?? [:]
        let arisen = errorsByComponent(facts)
        return components.descriptors.enumerated().map { id, descriptor in
            let count = counts[descriptor]
            let calls = CallSummary(actions.ids(of: id), actions, since: mark, seconds: markAge)
            let created = count.map { Value.count($0.created) } ?? .none
            let busy = inFlight[descriptor.name].map { Value.count($0.values.reduce(0, +)) }
            return Row(
                id: id,
                values: [
                    .text(descriptor.kind.rawValue), .words(descriptor.name), .words(count?.module ?? ""),
                    count.map { .count($0.created - $0.destroyed) } ?? .none, created,
                    count.map { .count($0.destroyed) } ?? .none, count.map { .count($0.leakSuspects) } ?? .none,
                    restarts(descriptor, count), lifetimes[descriptor] ?? .none, .count(calls.total),
                    calls.isKnown ? .count(calls.failures) : .count(arisen[id] ?? 0), .measured(calls.rate),
                    .measured(calls.errorRatio), descriptor.kind == .client ? busy ?? .none : .none,
                    .measured(calls.quantile(0.5)), .measured(calls.quantile(0.9)), .measured(calls.quantile(0.99)),
                    .text(budgetStatus(of: descriptor.name, facts)), spark(id),
                ]
            )
        }
    }

    /// A capability is made again when its environment has changed; other components are not restarted.
    private func restarts(_ descriptor: ComponentDescriptor, _ count: CensusRow?) -> Value {
        guard descriptor.kind == .capability, let count else { return .none }
        return .count(count.created == 0 ? 0 : count.created - 1)
    }

    func spark(_ id: Int) -> Value {
        var json = JSONText()
        json.list(sparks[id] ?? []) { $0.number($1) }
        return .json(json.bytes)
    }

    /// Components that process no actions have the errors that arose in them.
    private func errorsByComponent(_ facts: RowFacts) -> [Int: UInt64] {
        var errors: [Int: UInt64] = [:]
        for group in facts.errors?.groups ?? [] {
            guard let id = components.id(named: group.fingerprint.component.name) else { continue }
            errors[id, default: 0] += group.count
        }
        return errors
    }

    private func lifetimes(_ census: [ComponentDescriptor: CensusRow]) -> [ComponentDescriptor: Value] {
        guard let family = registry.collect(families: ["axiom_component_lifetime_seconds"])[0],
            let columns = family.bucketColumns
        else { return [:] }
        let bounds = family.definition.buckets.upperBounds
        var values: [ComponentDescriptor: Value] = [:]
        for (position, series) in family.enumerated() {
            guard let kind = ComponentKind(rawValue: series.labels["kind"]) else { continue }
            let counts = Array(columns.counts[position * columns.width..<(position + 1) * columns.width])
            let component = ComponentDescriptor(kind: kind, name: series.labels["component"])
            let longest = census[component].flatMap { $0.destroyed > 0 ? Double($0.longestLifetime) / 1e9 : nil }
            values[component] = lifetime(Spread(counts, bounds: bounds, largest: longest), longest)
        }
        return values
    }

    private func lifetime(_ spread: Spread, _ longest: Double?) -> Value {
        var json = JSONText()
        json.raw("{\"count\":" as StaticString)
        json.integer(spread.total)
        json.raw(",\"p50\":" as StaticString)
        json.number(spread.quantile(0.5)?.significant())
        json.raw(",\"p95\":" as StaticString)
        json.number(spread.quantile(0.95)?.significant())
        json.raw(",\"max\":" as StaticString)
        json.number(longest?.significant())
        json.raw(",\"counts\":" as StaticString)
        json.list(spread.counts) { $0.integer($1) }
        json.raw("}" as StaticString)
        return .json(json.bytes)
    }

    func callRows() -> [Row] {
        let (mark, age) = (mark, markAge)
        let inFlight = telemetry?.actionsInFlight ?? [:]
        return actions.actions.enumerated().map { id, action in
            let calls = CallSummary([id], actions, since: mark, seconds: age)
            return Row(
                id: id,
                values: [.component(action.component), .words(action.name)] + actions.outcomes(id).map { .count($0) }
                    + [
                        .measured(calls.rate), self.inFlight(action, inFlight), .measured(calls.quantile(0.5)),
                        .measured(calls.quantile(0.9)), .measured(calls.quantile(0.99)),
                    ]
            )
        }
    }

    /// Of contexts' actions it is not known which are under way.
    private func inFlight(_ action: ActionTotals.Action, _ all: [String: [String: UInt64]]) -> Value {
        let component = components.descriptors[action.component]
        guard component.kind == .client, let busy = all[component.name] else { return .none }
        return .count(busy[action.name] ?? 0)
    }
}

/// Actions together: all of them, and those of the window.
struct CallSummary {
    /// Whether there are actions at all.
    let isKnown: Bool
    /// Of all time.
    let total: UInt64
    /// Of all time.
    let failures: UInt64
    let rate: Double
    /// Of the calls of the window that succeeded or failed; nil without such.
    let errorRatio: Double?
    private let spread: Spread

    init(_ ids: [Int], _ actions: ActionTotals, since mark: ActionTotals.Mark?, seconds: Double) {
        isKnown = !ids.isEmpty
        let all = ids.map { actions.outcomes($0) }
        total = all.reduce(0) { $0 + $1.reduce(0, +) }
        failures = all.reduce(0) { $0 + $1[1] }
        let lately = ids.map { actions.outcomes($0, since: mark) }
        rate = Double(lately.reduce(0) { $0 + $1.reduce(0, +) }) / seconds
        let (good, bad) = (lately.reduce(0) { $0 + $1[0] }, lately.reduce(0) { $0 + $1[1] })
        errorRatio = good + bad == 0 ? nil : Double(bad) / Double(good + bad)
        spread = Spread(actions.durations(of: ids, since: mark), bounds: actions.spreadBounds)
    }

    func quantile(_ probability: Double) -> Double? { spread.quantile(probability) }
}
