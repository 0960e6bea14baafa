// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomInstrumentation
internal import Foundation

/// An application with a random graph and random load on a manual clock. Nothing waits: calls are counted and timed as the
/// framework would, with durations that are drawn.
final class SimulatedApplication {
    private struct Part {
        let component: ComponentDescriptor
        /// What it calls, and how often in a call.
        var calls: [(part: Int, probability: Double)] = []
        /// The median of its own work, in seconds.
        let work: Double
    }

    /// The state of a client: text of some bytes.
    private struct Pile: OwnedState, Equatable {
        var text: String
    }

    /// How large the states of clients are, in bytes.
    private final class Sizes: Sendable {
        private let bytes = Lock([Int: Int]())

        subscript(_ part: Int) -> Int { bytes.withLock { $0[part] ?? 20_000 } }

        func grow(_ part: Int) { bytes.withLock { $0[part, default: 20_000] += 5_000 } }
    }

    /// The action of all clients.
    private actor Worker: StatelessClient {
        enum Job: Axiom.Action {
            case run
            static let caseNames = ["run"]
            var caseIndex: Int { 0 }
        }

        func process(_ job: Job) {}
    }

    private let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
    private let telemetry: Telemetry
    private let dashboard: Dashboard
    private var parts: [Part] = []
    private var clientProbes: [Int: [Int: any ClientProbe]] = [:]
    private var capabilityProbes: [Int: [Int: any CapabilityProbe]] = [:]
    private var random: SeededGenerator
    private var second = 0
    private var instances: UInt64 = 0
    private let sizes = Sizes()
    /// The faults by the part that has them.
    private(set) var faults: [Int: PlantedFault] = [:]

    /// Makes an application with two to six contexts, two to eight clients and two to eight capabilities.
    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = Self.randomParts(&random)
        self.random = random
        self.parts = parts
        let limits = parts.filter { $0.component.kind == .client }.map { part in
            BudgetRule.override(.clientAction, for: part.component.name, limit: .milliseconds(200))
        }
        telemetry = try Telemetry(
            budgets: [.confirm(.clientAction)] + limits,
            onBudgetViolation: { _ in },
            clock: .manual(time)
        )
        dashboard = Dashboard(telemetry: telemetry, name: "Simulated")
        connect()
    }

    private static func randomParts(_ random: inout SeededGenerator) -> [Part] {
        var parts: [Part] = []
        for (kind, most) in [(ComponentKind.capability, 8), (.client, 8), (.context, 6)] {
            for number in 0..<Int.random(in: 2...most, using: &random) {
                let targets = parts.indices.filter { mayCall(kind, parts[$0].component.kind) }
                let count = kind == .capability ? 0...min(2, number) : 1...3
                let work = kind == .capability ? 0.002 * Double.random(in: 0.5...5, using: &random) : 0.0002
                let name = "\(kind.rawValue.prefix(3).capitalized)\(number)"
                var part = Part(component: ComponentDescriptor(kind: kind, name: name), work: work)
                for target in targets.shuffled(using: &random).prefix(Int.random(in: count, using: &random)) {
                    part.calls.append((target, Double.random(in: 0.5...1, using: &random)))
                }
                parts.append(part)
            }
        }
        return parts
    }

    private static func mayCall(_ kind: ComponentKind, _ other: ComponentKind) -> Bool {
        kind == .context ? other == .client : other == .capability
    }

    private func connect() {
        for (index, part) in parts.enumerated() {
            telemetry.registered(part.component, module: "")
            guard part.component.kind == .client, let probe = telemetry.stateProbe(for: part.component) else {
                continue
            }
            probe.storeMade { [sizes] in Pile(text: String(repeating: "x", count: sizes[index])) }
        }
        for (caller, part) in parts.enumerated() {
            for (target, _) in part.calls {
                let (from, to) = (part.component, parts[target].component)
                telemetry.resolved(ComponentDependency(from: from, to: to))
                if to.kind == .client {
                    clientProbes[caller, default: [:]][target] = telemetry.clientProbe(
                        for: to,
                        of: Worker.self,
                        calledBy: from
                    )
                } else {
                    capabilityProbes[caller, default: [:]][target] = telemetry.capabilityProbe(for: to, calledBy: from)
                }
            }
        }
    }

    func name(_ part: Int) -> String { parts[part].component.name }

    /// Plants faults in capabilities and clients that a context reaches, silent clients first.
    func plant(_ planted: [PlantedFault]) {
        for fault in planted.filter({ $0 == .silent }) + planted.filter({ $0 != .silent }) {
            let free = reached(fault.ofKind).filter { faults[$0] == nil }
            if let part = free.randomElement(using: &random) { faults[part] = fault }
        }
    }

    private func reached(_ kind: ComponentKind) -> [Int] {
        var reached = Set(parts.indices.filter { parts[$0].component.kind == .context })
        var next = Array(reached)
        while let part = next.popLast() {
            for call in parts[part].calls where faults[call.part] != .silent && reached.insert(call.part).inserted {
                next.append(call.part)
            }
        }
        return reached.filter { parts[$0].component.kind == kind }.sorted()
    }

    /// The first component that a text names.
    func component(in text: String) -> String? {
        let names = Set(parts.map(\.component.name))
        return text.split { !$0.isLetter && !$0.isNumber }.map(String.init).first(where: names.contains)
    }

    /// Whether one part calls another one, directly or not.
    func reaches(_ name: String, from other: String) -> Bool {
        guard let from = parts.firstIndex(where: { $0.component.name == other }) else { return false }
        var (seen, next) = (Set([from]), [from])
        while let part = next.popLast() {
            if parts[part].component.name == name { return true }
            for call in parts[part].calls where seen.insert(call.part).inserted { next.append(call.part) }
        }
        return false
    }

    /// Lets seconds pass, with the load of users.
    func run(seconds: Int) {
        for _ in 0..<seconds {
            for (index, part) in parts.enumerated() where part.component.kind == .context {
                for _ in 0..<Int.random(in: 0...8, using: &random) { act(index) }
            }
            for (part, fault) in faults {
                if fault == .growing { sizes.grow(part) }
                if fault == .leaking, second.isMultiple(of: 3) { leak(part) }
            }
            let now = time.now.nanoseconds
            time.advance(by: .nanoseconds(1_000_000_000 - now % 1_000_000_000))
            dashboard.sample()
            second += 1
        }
    }

    private func leak(_ part: Int) {
        instances += 1
        let component = parts[part].component
        telemetry.created(ComponentInstance(id: instances, component: component, createdAt: time.now))
    }

    var diagnosis: Diagnosis? { dashboard.diagnosis() }

    /// An action of a context.
    private func act(_ context: Int) {
        for (target, probability) in parts[context].calls where Double.random(in: 0..<1, using: &random) < probability {
            guard faults[target] != .silent, let error = call(target, from: context).error else { continue }
            let boundary = parts[context].component
            telemetry.ended(
                EndedError(error, origin: error.origin ?? boundary, boundary: boundary, chain: ErrorChain(error))
            )
        }
    }

    private func call(_ target: Int, from caller: Int) -> (seconds: Double, error: SimulatedError?) {
        let client = clientProbes[caller]?[target]
        let capability = capabilityProbes[caller]?[target]
        let number = capability?.number(of: "run") ?? 0
        client?.began(caseIndex: 0)
        capability?.began(number)
        var (seconds, error) = work(target)
        let repeated = faults[target]?.repeated ?? 0
        for attempt in 1...8 where Double.random(in: 0..<1, using: &random) < repeated {
            capability?.retried()
            seconds += 0.001 * Double(attempt)
        }
        let outcome: ActionOutcome = error == nil ? .success : .failure
        let nanoseconds = Int64(seconds * 1e9)
        client?.ended(caseIndex: 0, outcome: outcome, nanoseconds: nanoseconds)
        capability?.ended(number, outcome: outcome, nanoseconds: nanoseconds)
        return (seconds, error)
    }

    /// The work of a part and of what it calls.
    private func work(_ index: Int) -> (seconds: Double, error: SimulatedError?) {
        let (part, fault) = (parts[index], faults[index])
        // Log-normal: the logarithm is the sum of twelve uniform numbers.
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        var seconds = part.work * exp(0.4 * normal) * (fault == .slow ? 60 : 1)
        if let fault, Double.random(in: 0..<1, using: &random) < fault.failing(at: second) {
            let code = ErrorCode(rawValue: "\(part.component.name.uppercased())_FAULT")
            return (seconds, SimulatedError(code: code, origin: part.component))
        }
        for (target, probability) in part.calls where Double.random(in: 0..<1, using: &random) < probability {
            let (time, error) = call(target, from: index)
            seconds += time
            guard let error else { continue }
            guard faults[target] == .deep || error.cause != nil else { return (seconds, error) }
            let code = ErrorCode(rawValue: "\(part.component.name.uppercased())_FAILED")
            return (seconds, SimulatedError(code: code, origin: part.component, cause: error))
        }
        return (seconds, nil)
    }
}
