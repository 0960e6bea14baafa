// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import CPlantedCode
internal import Observation

/// What one action does: a random nest of tasks, hops, sleeps and calls, which burns the processor in the action's function only.
indirect enum LabelNest: Sendable {
    case burn(rounds: Int)
    case burnOnMainActor(rounds: Int)
    case burnOnActor(rounds: Int)
    /// In a task that inherits nothing: in a function that no action has.
    case detached(rounds: Int)
    case sleep(Duration)
    case sequence([LabelNest])
    case asyncLet(LabelNest, LabelNest)
    case group([LabelNest])
    case task(LabelNest)
    case span(LabelNest)
    /// Of a client's actions to a capability, of a context's actions to a client, which then is another action.
    case call(action: Int, LabelNest)

    /// - Parameter speed: Rounds of a millisecond.
    init(_ random: inout SeededGenerator, action: Int, depth: Int, speed: Double) {
        func inner(_ random: inout SeededGenerator, _ action: Int) -> LabelNest {
            LabelNest(&random, action: action, depth: depth - 1, speed: speed)
        }
        let rounds = max(1, Int((0.05 + 4 * random.unit() * random.unit()) * speed))
        switch random.index(below: depth > 0 ? 13 : 5) {
        case 0, 1: self = .burn(rounds: rounds)
        case 2: self = .burnOnMainActor(rounds: rounds)
        case 3: self = .burnOnActor(rounds: rounds)
        case 4:
            self =
                random.index(below: 4) == 0
                ? .detached(rounds: rounds) : .sleep(.microseconds(random.index(below: 3_000)))
        case 5, 6: self = .sequence((0..<2 + random.index(below: 3)).map { _ in inner(&random, action) })
        case 7, 8: self = .asyncLet(inner(&random, action), inner(&random, action))
        case 9: self = .group((0..<2 + random.index(below: 2)).map { _ in inner(&random, action) })
        case 10: self = .task(inner(&random, action))
        case 11: self = .span(inner(&random, action))
        default:
            let called =
                LabelAction.isOfContext(action)
                ? LabelAction.count / 2 + random.index(below: LabelAction.count / 2) : action
            self = .call(action: called, inner(&random, called))
        }
    }

    func run(_ action: Int, _ parts: LabelParts) async {
        switch self {
        case .burn(let rounds): Self.burn(action, rounds)
        case .burnOnMainActor(let rounds): await MainActor.run { Self.burn(action, rounds) }
        case .burnOnActor(let rounds): await parts.actor.burn(action, rounds)
        case .detached(let rounds): await Task.detached { Self.burn(-1, rounds) }.value
        case .sleep(let time): try? await Task.sleep(for: time)
        case .sequence(let nests): for nest in nests { await nest.run(action, parts) }
        case .asyncLet(let first, let second):
            async let one: Void = first.run(action, parts)
            async let other: Void = second.run(action, parts)
            _ = await (one, other)
        case .group(let nests):
            await withTaskGroup { group in
                for nest in nests { group.addTask { await nest.run(action, parts) } }
            }
        case .task(let nest): await Task { await nest.run(action, parts) }.value
        case .span(let nest): await parts.telemetry.span("part") { await nest.run(action, parts) }
        case .call(let called, let nest): await parts.call(called, nest, by: action)
        }
    }

    static func burn(_ action: Int, _ rounds: Int) {
        PlantedCall.consume(planted_action_burn(Int32(action), UInt64(rounds)))
    }
}

actor LabelActor {
    func burn(_ action: Int, _ rounds: Int) { LabelNest.burn(action, rounds) }
}

/// What a nest uses. Neither a context's action has a capability, nor a client's action a client.
struct LabelParts: Sendable {
    let telemetry: Telemetry
    let actor: LabelActor
    var client: (any StatelessClient<LabelAction>)?
    var capability: CapabilityRef<LabelCapability>?

    func call(_ called: Int, _ nest: LabelNest, by action: Int) async {
        if let client { return (try? await client.process(LabelAction(number: called, nest: nest))) ?? () }
        try? await capability?.call("work") { await $0.work(nest, action, self) }
    }
}

/// Ten actions: the first five are those of a context, the others those of a client.
struct LabelAction: Axiom.Action {
    static let count = Int(planted_action_count)
    static let caseNames = (0..<count).map { "action\($0)" }

    let number: Int
    let nest: LabelNest

    var caseIndex: Int { number }

    static func isOfContext(_ number: Int) -> Bool { number < count / 2 }
}

actor LabelCapability: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func work(_ nest: LabelNest, _ action: Int, _ parts: LabelParts) async {
        LabelNest.burn(action, 1_000)
        await nest.run(action, parts)
    }
}

actor LabelClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let parts: LabelParts

    init(_ scope: borrowing ClientScope, _ parts: LabelParts) throws {
        identity = scope.identity
        var parts = parts
        parts.capability = try scope.capability(LabelCapability.self)
        self.parts = parts
    }

    func process(_ action: LabelAction) async {
        LabelNest.burn(action.number, 1_000)
        await action.nest.run(action.number, parts)
    }
}

@MainActor
@Observable
final class LabelContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<LabelAction>
    @ObservationIgnored private let parts: LabelParts

    init(_ scope: borrowing ContextScope, _ parts: LabelParts) throws {
        (identity, client) = (scope.identity, try scope.client(LabelClient.self))
        var parts = parts
        parts.client = client
        self.parts = parts
    }

    func handle(_ action: LabelAction) async throws {
        LabelNest.burn(action.number, 1_000)
        await action.nest.run(action.number, parts)
    }
}
