// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomInstrumentation

/// An application of the second generator, on a manual clock. Calls overlap. The telemetry records each one
/// when it begins and when it ends, with its span.
final class OtherApplication {
    /// What was told of a part since the last reset.
    struct Tally {
        var (calls, failures, affected, seconds) = (0, 0, 0.0, 0.0)
    }

    /// A call that begins or ends.
    private struct Event {
        let time: Int64
        let order: Int
        let call: OtherPlannedCall
        let isEnd: Bool
    }

    let plan: OtherPlan
    let faults: [Int: OtherFault]
    private let time = ManualTime()
    private let telemetry: Telemetry
    private let dashboard: Dashboard
    private let recorder: OtherRecorder
    private var residents: OtherResidents
    private var load: OtherLoad
    var dice: OtherDice
    private var events: [Int: [Event]] = [:]
    private(set) var (second, order) = (0, 0)
    /// By part, for a check of the generator itself.
    var tallies: [Tally]

    /// - Parameter isFaulty: Whether it has the faults of its plan.
    init(_ plan: OtherPlan, isFaulty: Bool) throws {
        self.plan = plan
        let faults = isFaulty ? plan.faults : []
        self.faults = Dictionary(faults.map { ($0.part, $0) }) { first, _ in first }
        load = plan.load
        dice = OtherDice(seed: plan.seed, stream: 3)
        tallies = plan.graph.parts.map { _ in Tally() }
        let limits = plan.limits.sorted { $0.key < $1.key }.map { index, seconds in
            let component = plan.graph.parts[index].component
            let id: PerformanceBudget.ID = component.kind == .client ? .clientAction : .contextAction
            return BudgetRule.override(id, for: component.name, limit: .nanoseconds(Int64(seconds * 1e9)))
        }
        telemetry = try Telemetry(budgets: limits, onBudgetViolation: { _ in }, clock: .manual(time))
        dashboard = Dashboard(telemetry: telemetry, name: "Other")
        recorder = OtherRecorder(plan.graph, telemetry)
        residents = try OtherResidents(plan, self.faults, telemetry, time)
    }

    var diagnosis: Diagnosis? { dashboard.diagnosis() }

    /// The contexts that were not destroyed although they should have been.
    var leaked: Int { residents.leaked }

    /// Lets seconds pass.
    func run(seconds: Int) {
        for _ in 0..<seconds {
            let factor = load.factor(at: Double(second))
            for arrival in load.arrivals(in: Double(second), factor) {
                _ = start(arrival.part, arrival.action, from: nil, under: nil, at: Int64(arrival.time * 1e9))
            }
            residents.pass(second, factor)
            let due = (events.removeValue(forKey: second) ?? []).sorted { ($0.time, $0.order) < ($1.time, $1.order) }
            for event in due {
                advance(to: event.time)
                if event.isEnd { recorder.end(event.call) } else { recorder.begin(event.call) }
            }
            second += 1
            advance(to: Int64(second) * 1_000_000_000)
            dashboard.sample()
        }
    }

    private func advance(to nanoseconds: Int64) {
        time.advance(by: .nanoseconds(nanoseconds - time.now.nanoseconds))
    }

    /// Notes the begin or the end of a call, in the present second or later.
    func add(_ call: OtherPlannedCall, at time: Int64, isEnd: Bool) {
        order += 1
        let event = Event(time: time, order: order, call: call, isEnd: isEnd)
        events[Int(time / 1_000_000_000), default: []].append(event)
    }

    /// The first component whose name is a word of a text.
    func component(in text: String) -> String? {
        let words = text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return words.first { word in plan.graph.parts.contains { $0.component.name == word } }
    }

    /// Whether one part calls another one, directly or not.
    func reaches(_ name: String, from other: String) -> Bool {
        let parts = plan.graph.parts
        guard let from = parts.firstIndex(where: { $0.component.name == other }) else { return false }
        var next = [from]
        var seen = Set(next)
        while let part = next.popLast() {
            if part != from, parts[part].component.name == name { return true }
            next += parts[part].calls.flatMap(\.edges).map(\.part).filter { seen.insert($0).inserted }
        }
        return false
    }
}

/// The instances of components, the states of clients and the pools of capabilities.
struct OtherResidents {
    private struct Pile: OwnedState, Equatable {
        var text: String
    }

    /// The sizes of states, in bytes, by part.
    private final class Sizes: Sendable {
        private let bytes = Lock([Int: Double]())

        subscript(_ part: Int) -> Double {
            get { bytes.withLock { $0[part] ?? 0 } }
            set { bytes.withLock { $0[part] = newValue } }
        }
    }

    private struct Pool {
        let part: Int
        let waiters: (any Signal)?
        let (idle, used): ((any Signal)?, (any Signal)?)
    }

    private let plan: OtherPlan
    private let faults: [Int: OtherFault]
    private let telemetry: Telemetry
    private let time: ManualTime
    private var dice: OtherDice
    private let sizes = Sizes()
    private var ends: [Int: [ComponentInstance]] = [:]
    private var pools: [Pool] = []
    private var nextID: UInt64 = 1
    private(set) var leaked = 0

    init(_ plan: OtherPlan, _ faults: [Int: OtherFault], _ telemetry: Telemetry, _ time: ManualTime) throws {
        (self.plan, self.faults, self.telemetry, self.time) = (plan, faults, telemetry, time)
        dice = OtherDice(seed: plan.seed, stream: 5)
        try telemetry.begin(made(ComponentDescriptor(kind: .orchestrator, name: "Orchestrator")))
        for (index, part) in plan.graph.parts.enumerated() where part.component.kind != .context {
            telemetry.created(made(part.component))
            if part.hasPool { addPool(index) }
            guard part.component.kind == .client else { continue }
            sizes[index] = part.bytes
            telemetry.stateProbe(for: part.component)?.storeMade { [sizes] in
                Pile(text: String(repeating: "x", count: Int(sizes[index])))
            }
        }
    }

    private mutating func made(_ component: ComponentDescriptor) -> ComponentInstance {
        defer { nextID += 1 }
        return ComponentInstance(id: nextID, component: component, createdAt: time.now)
    }

    private mutating func addPool(_ part: Int) {
        let name = plan.name(part)
        let states = SignalFamily("axiom_pool_connections", .gauge, help: "Of a pool.", labels: ["pool", "state"])
        let waiters = SignalFamily("axiom_pool_waiters", .gauge, help: "Of a pool.", labels: ["pool"])
        let used = (telemetry.signal(states, [name, "idle"]), telemetry.signal(states, [name, "in_use"]))
        pools.append(Pool(part: part, waiters: telemetry.signal(waiters, [name]), idle: used.0, used: used.1))
    }

    /// Opens and ends contexts, and changes states and pools.
    ///
    /// - Parameter factor: How much users do, as a multiple of the average.
    mutating func pass(_ second: Int, _ factor: Double) {
        for part in plan.graph.parts where part.component.kind == .context {
            var opened = dice.exponential(mean: 1)
            while opened < part.opened * factor {
                let instance = made(part.component)
                telemetry.created(instance)
                ends[second + 1 + Int(dice.exponential(mean: part.lifetime)), default: []].append(instance)
                opened += dice.exponential(mean: 1)
            }
        }
        for instance in ends.removeValue(forKey: second) ?? [] { end(instance, second) }
        for (index, part) in plan.graph.parts.enumerated() where part.component.kind == .client {
            resize(index, part, second)
        }
        for pool in pools { use(pool, second) }
    }

    private mutating func end(_ instance: ComponentInstance, _ second: Int) {
        let fault = faults.values.first { $0.kind == .leaking && plan.name($0.part) == instance.component.name }
        let leaks = fault.map { Double(second) >= $0.since && dice.chance($0.share) } ?? false
        if leaks { leaked += 1 }
        if !leaks || fault?.flag == true { telemetry.unmounted(instance, at: time.now) }
        if !leaks { telemetry.destroyed(instance, lifetime: time.now.nanoseconds(since: instance.createdAt)) }
    }

    private mutating func resize(_ index: Int, _ part: OtherPart, _ second: Int) {
        let filled = part.warmUp == 0 ? 1 : 1 - 1 / (1 + Double(second) / part.warmUp)
        var size = part.bytes * filled * (1 + 0.03 * dice.gauss())
        if let fault = faults[index], fault.kind == .growing {
            size += max(0, Double(second) - fault.since) * fault.growth
        }
        sizes[index] = max(100, size)
    }

    /// A pool of ten connections.
    private mutating func use(_ pool: Pool, _ second: Int) {
        let fault = faults[pool.part].flatMap { $0.kind == .pool && Double(second) >= $0.since ? $0 : nil }
        let used = fault == nil ? dice.number(0, 5) : 10
        pool.used?.set(Double(used))
        pool.idle?.set(Double(10 - used))
        pool.waiters?.set(fault.map { (plan.rate(pool.part) * $0.seconds * dice.between(0.5, 1.5)).rounded() } ?? 0)
    }
}
